-- What somebody at an editor does: opens a file, waits for the server's words, and asks for actions and hints at the first of them.
-- CONCORD_SESSION is a JSON list: the server's command, the project's folder, the file, and where to write what was seen.
local command, folder, file, out = unpack(vim.json.decode(vim.env.CONCORD_SESSION))
local client = vim.lsp.start_client({
  name = "concord",
  cmd = { command, "lsp", "--", "--timeout", "60s" },
  root_dir = folder,
})
vim.cmd("edit " .. vim.fn.fnameescape(file))
vim.lsp.buf_attach_client(0, client)

local function ask(method, parameters)
  local answers = vim.lsp.buf_request_sync(0, method, parameters, 30000) or {}
  return answers[client] and answers[client].result or {}
end

-- A proof may publish an empty list; its hints say when it is there.
local whole = { start = { line = 0, character = 0 }, ["end"] = { line = vim.api.nvim_buf_line_count(0), character = 0 } }
local document = vim.lsp.util.make_text_document_params()
local seen = { diagnostics = {}, hints = {}, actions = {} }
vim.wait(90000, function()
  seen.diagnostics = vim.diagnostic.get(0)
  seen.hints = ask("textDocument/inlayHint", { textDocument = document, range = whole })
  return #seen.diagnostics > 0 or #seen.hints > 0
end, 100)

if #seen.diagnostics > 0 then
  vim.api.nvim_win_set_cursor(0, { seen.diagnostics[1].lnum + 1, 0 })
  local here = vim.lsp.util.make_range_params()
  here.context = { diagnostics = {} }
  seen.actions = ask("textDocument/codeAction", here)
  -- The editor carries out what the server offers.
  if seen.actions[1] then
    vim.lsp.util.apply_workspace_edit(seen.actions[1].edit, "utf-16")
    vim.cmd("silent wall")
  end
end
vim.fn.writefile({ vim.json.encode(seen) }, out)
vim.lsp.stop_client(client)
vim.wait(5000, function() return vim.lsp.client_is_stopped(client) end, 20)
vim.cmd("qa!")
