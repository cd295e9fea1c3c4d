//! `concord lsp`: a language server. Editors start it and speak to it over standard input and
//! output (Language Server Protocol 3.17).
//!
//! | module | |
//! |---|---|
//! | here | the handshake, and one message after the other |
//! | `checking` | one check at a time, each a process of its own, with progress |
//! | `answer` | what a result is in the editor: diagnostics, hints, actions |
//! | `places` | addresses of files, lines and columns |
//!
//! A file is checked when it is opened and when it is saved: checks read what is on disk. The few
//! messages are written as JSON; the library only carries them.

mod answer;
mod checking;
mod places;

use crate::cli::{Cli, LspArgs};
use crate::exit;
use answer::Answer;
use checking::{Checker, Job};
use clap::Parser;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

/// The command behind the code action, for editors that cannot create files by themselves.
const WRITE_HARNESS: &str = "concord.writeHarness";

/// What is known of each open file, by its address.
type Answers = Arc<Mutex<BTreeMap<String, Answer>>>;

/// What the editor can do.
#[derive(Clone, Copy, Default)]
struct Abilities {
    progress: bool,
    refreshes_hints: bool,
    creates_files: bool,
}

impl Abilities {
    fn of(parameters: &Value) -> Abilities {
        let is = |path: &str| parameters.pointer(path) == Some(&Value::Bool(true));
        let operations = "/capabilities/workspace/workspaceEdit/resourceOperations";
        let operations = parameters.pointer(operations).and_then(Value::as_array);
        Abilities {
            progress: is("/capabilities/window/workDoneProgress"),
            refreshes_hints: is("/capabilities/workspace/inlayHint/refreshSupport"),
            creates_files: operations.is_some_and(|list| list.iter().any(|one| one == "create")),
        }
    }
}

pub fn serve(args: &LspArgs) -> ExitCode {
    if let Err(text) = understood(&args.options) {
        return exit::bad_input(text);
    }
    let (connection, threads) = Connection::stdio();
    let ended = converse(&connection, args);
    // Without senders the writing thread ends.
    drop(connection);
    let _ = threads.join();
    match ended {
        Ok(()) => exit::code(exit::TRUE),
        Err(text) => exit::bad_input(text),
    }
}

/// Are these options of a check?
fn understood(options: &[String]) -> Result<(), String> {
    let words = ["concord", "check", "file.c"].into_iter();
    let words = words.chain(options.iter().map(String::as_str));
    Cli::try_parse_from(words)
        .map(drop)
        .map_err(|error| error.to_string())
}

fn converse(connection: &Connection, args: &LspArgs) -> Result<(), String> {
    let failed = |error: lsp_server::ProtocolError| error.to_string();
    let (id, parameters) = connection.initialize_start().map_err(failed)?;
    connection
        .initialize_finish(id, capabilities())
        .map_err(failed)?;
    let mut options = args.options.clone();
    let given = parameters.pointer("/initializationOptions/options");
    let given = given.and_then(Value::as_array).into_iter().flatten();
    let given: Vec<String> = given
        .filter_map(|one| one.as_str().map(str::to_owned))
        .collect();
    let both = [&options[..], &given].concat();
    // What the editor says counts more than what stands on the command line.
    match understood(&both)
        .map(|()| both)
        .or_else(|_| understood(&given).map(|()| given))
    {
        Ok(chosen) => options = chosen,
        Err(text) => notify(
            connection,
            "window/showMessage",
            json!({
                "type": 1, "message": format!("Concord: the options of the editor are wrong: {text}"),
            }),
        ),
    }
    if let Some(database) = compile_commands(&parameters) {
        options.push("--compile-commands".into());
        options.push(database.display().to_string());
    }
    let abilities = Abilities::of(&parameters);
    let answers = Answers::default();
    let checker = Checker::start(connection, &answers, abilities, options)?;
    let server = Server {
        connection,
        abilities,
        answers,
        checker,
    };
    server.run()
}

fn capabilities() -> Value {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": {"openClose": true, "change": 0, "save": {"includeText": false}},
            "inlayHintProvider": true,
            "codeActionProvider": {"codeActionKinds": ["quickfix"]},
            "executeCommandProvider": {"commands": [WRITE_HARNESS]},
        },
        "serverInfo": {"name": "concord", "version": env!("CARGO_PKG_VERSION")},
    })
}

/// The compilation database of the project, if it lies where most do.
fn compile_commands(parameters: &Value) -> Option<PathBuf> {
    let root = parameters
        .pointer("/workspaceFolders/0/uri")
        .or(parameters.get("rootUri"))?;
    let root = places::path(root.as_str()?)?;
    let places = ["compile_commands.json", "build/compile_commands.json"];
    let mut files = places.iter().map(|place| root.join(place));
    files.find(|file| file.is_file())
}

fn notify(connection: &Connection, method: &str, parameters: Value) {
    let message = Notification::new(method.to_owned(), parameters);
    // An editor that is gone needs no word.
    let _ = connection.sender.send(Message::Notification(message));
}

struct Server<'a> {
    connection: &'a Connection,
    abilities: Abilities,
    answers: Answers,
    checker: Checker,
}

impl Server<'_> {
    fn run(&self) -> Result<(), String> {
        for message in &self.connection.receiver {
            match message {
                Message::Request(request) => {
                    let is_over = self.connection.handle_shutdown(&request);
                    if is_over.map_err(|error| error.to_string())? {
                        return Ok(());
                    }
                    let response = self.response(request);
                    let _ = self.connection.sender.send(Message::Response(response));
                }
                Message::Notification(notification) => self.notified(&notification),
                // Nothing depends on what is answered to our own requests.
                Message::Response(_) => {}
            }
        }
        Ok(())
    }

    fn notified(&self, notification: &Notification) {
        let parameters = &notification.params;
        let uri = parameters.pointer("/textDocument/uri");
        let uri = uri.and_then(Value::as_str).unwrap_or_default();
        match notification.method.as_str() {
            "textDocument/didOpen" | "textDocument/didSave" => {
                if let Some(path) = places::path(uri).filter(|path| is_c(path)) {
                    let uri = uri.to_owned();
                    self.checker.check(Job { uri, path });
                }
            }
            "textDocument/didClose" => {
                self.checker.forget(uri);
                let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
                let before = answers.remove(uri);
                drop(answers);
                let others = before.iter().flat_map(|before| before.addresses(uri));
                let all: BTreeSet<String> = others.chain([uri.to_owned()]).collect();
                for uri in all {
                    let nothing = json!({"uri": uri, "diagnostics": []});
                    notify(self.connection, "textDocument/publishDiagnostics", nothing);
                }
            }
            "window/workDoneProgress/cancel" => {
                let token = parameters["token"].as_str().unwrap_or_default();
                self.checker.cancel(token);
            }
            _ => {}
        }
    }

    fn response(&self, request: Request) -> Response {
        let parameters = &request.params;
        let uri = parameters.pointer("/textDocument/uri");
        let uri = uri.and_then(Value::as_str).unwrap_or_default();
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answers.get(uri);
        match request.method.as_str() {
            "textDocument/inlayHint" => {
                let hints = answer.map_or_else(Vec::new, |answer| answer.hints(parameters));
                Response::new_ok(request.id, json!(hints))
            }
            "textDocument/codeAction" => {
                let creates = self.abilities.creates_files;
                let action = answer.and_then(|answer| answer.action(uri, parameters, creates));
                Response::new_ok(request.id, json!(action.into_iter().collect::<Vec<_>>()))
            }
            "workspace/executeCommand" => {
                let uri = parameters.pointer("/arguments/0").and_then(Value::as_str);
                let answer = uri.and_then(|uri| answers.get(uri));
                let is_known = parameters["command"] == WRITE_HARNESS;
                let written = match answer {
                    Some(answer) if is_known => answer.write_harness(),
                    _ => Err("there is no harness to write".into()),
                };
                match written {
                    Ok(path) => Response::new_ok(request.id, json!(path)),
                    Err(text) => {
                        Response::new_err(request.id, ErrorCode::RequestFailed as i32, text)
                    }
                }
            }
            other => {
                let text = format!("{other} is not supported");
                Response::new_err(request.id, ErrorCode::MethodNotFound as i32, text)
            }
        }
    }
}

/// Headers are checked with the files that include them.
fn is_c(path: &std::path::Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending == "c" || ending == "i")
}
