// Starts `concord lsp` and hands C files to it; all else is the server's.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("concord");
  const server = { command: settings.get("path", "concord"), args: ["lsp"] };
  client = new LanguageClient("concord", "Concord", server, {
    documentSelector: [{ scheme: "file", language: "c" }],
    initializationOptions: { options: settings.get("options", []) },
  });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`Concord cannot be started (setting concord.path): ${error.message}`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running) {
    await running.stop();
  }
}

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("concord.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("concord")) {
        restart();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
