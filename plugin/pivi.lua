if vim.g.loaded_pivi then
  return
end
vim.g.loaded_pivi = true

vim.api.nvim_create_user_command("Pi", function(opts)
  require("pivi.command").run(opts)
end, {
  nargs = "*",
  bang = true,
  range = true,
  desc = "Conversations with the Pi coding agent",
  complete = function(lead, line, cursor)
    return require("pivi.complete").complete(lead, line, cursor)
  end,
})

-- A transcript's text is the host's to give: `:edit` paints it anew, and a restored Vim session resumes it.
vim.api.nvim_create_autocmd("BufReadCmd", {
  group = vim.api.nvim_create_augroup("pivi.read", {}),
  pattern = "pivi://*",
  desc = "Paint a transcript anew",
  callback = function(event)
    require("pivi.conversations").read(event.buf)
  end,
})
