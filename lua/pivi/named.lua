---Buffers by their names.

---The buffer of just that name, which is no pattern here.
---@param name string
---@return integer buf -1 for none
return function(name)
  return vim.fn.bufnr("^" .. vim.fn.escape(name, "\\*?[]{},^$") .. "$")
end
