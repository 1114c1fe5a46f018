std = "luajit"
cache = false
max_line_length = 120
read_globals = { "vim" }
-- Options and variables of the editor are set through these.
globals = { "vim.g", "vim.b", "vim.bo", "vim.wo", "vim.o", "vim.v" }
