//! The language server, spoken to by a client as editors do it: messages over standard input and
//! output.

mod common;

use common::{LOOP, Scratch};
use lsp_server::{Message, Notification, Request};
use serde_json::{Value, json};
use std::io::BufReader;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

const WRONG: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    int m = n + 1;
    if (m == 8) reach_error();
    return 0;
}
";

/// Longer than any check of these programs takes.
const PATIENCE: Duration = Duration::from_secs(90);

/// An editor.
struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: Receiver<Message>,
    /// What was heard and not asked for.
    heard: Vec<Message>,
    requests: i32,
}

impl Client {
    fn start(options: &[&str], folder: &Path, capabilities: Value) -> Client {
        let mut server = Command::new(env!("CARGO_BIN_EXE_concord"))
            .arg("lsp")
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the server can be started");
        let mut out = BufReader::new(server.stdout.take().expect("a pipe"));
        let (send, output) = mpsc::channel();
        std::thread::spawn(move || {
            while let Ok(Some(message)) = Message::read(&mut out) {
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let mut client = Client {
            input: server.stdin.take(),
            server,
            output,
            heard: Vec::new(),
            requests: 0,
        };
        let root = format!("file://{}", folder.display());
        let about = client.ask(
            "initialize",
            json!({"processId": null, "rootUri": root, "capabilities": capabilities}),
        );
        assert_eq!(about["serverInfo"]["name"], "concord");
        client.tell("initialized", json!({}));
        client
    }

    fn send(&mut self, message: Message) {
        let input = self.input.as_mut().expect("the server listens");
        message.write(input).expect("the server reads");
    }

    fn tell(&mut self, method: &str, parameters: Value) {
        self.send(Notification::new(method.to_owned(), parameters).into());
    }

    /// The answer to a request, or the error.
    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(Request::new(id.into(), method.to_owned(), parameters).into());
        loop {
            match self.output.recv_timeout(PATIENCE).expect("an answer") {
                Message::Response(response) if response.id == id.into() => {
                    let text = serde_json::to_value(response).expect("JSON");
                    return text.get("result").unwrap_or(&text["error"]).clone();
                }
                other => self.heard.push(other),
            }
        }
    }

    /// Waits for a notification or request of the server.
    fn wait(&mut self, wanted: impl Fn(&str, &Value) -> bool) -> Value {
        let begin = Instant::now();
        loop {
            let fits = self.heard.iter().position(|message| match message {
                Message::Notification(one) => wanted(&one.method, &one.params),
                Message::Request(one) => wanted(&one.method, &one.params),
                Message::Response(_) => false,
            });
            if let Some(index) = fits {
                return match self.heard.remove(index) {
                    Message::Notification(one) => one.params,
                    Message::Request(one) => one.params,
                    Message::Response(_) => Value::Null,
                };
            }
            assert!(begin.elapsed() < PATIENCE, "{:?}", self.heard);
            if let Ok(message) = self.output.recv_timeout(Duration::from_secs(1)) {
                self.heard.push(message);
            }
        }
    }

    fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        let published = self.wait(|method, parameters| {
            method == "textDocument/publishDiagnostics" && parameters["uri"] == uri
        });
        published["diagnostics"]
            .as_array()
            .cloned()
            .expect("a list")
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "c", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn save(&mut self, uri: &str) {
        self.tell(
            "textDocument/didSave",
            json!({"textDocument": {"uri": uri}}),
        );
    }

    fn actions(&mut self, uri: &str, line: u32) -> Value {
        let place = json!({"line": line, "character": 0});
        self.ask(
            "textDocument/codeAction",
            json!({
                "textDocument": {"uri": uri},
                "range": {"start": place, "end": place},
                "context": {"diagnostics": []},
            }),
        )
    }

    fn leave(mut self) -> Option<i32> {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        drop(self.input.take());
        self.server.wait().expect("the server ends").code()
    }
}

fn able() -> Value {
    json!({
        "window": {"workDoneProgress": true},
        "workspace": {
            "inlayHint": {"refreshSupport": true},
            "workspaceEdit": {"documentChanges": true, "resourceOperations": ["create"]},
        },
    })
}

#[test]
fn an_editor_sees_violations_proofs_and_errors() {
    let scratch = Scratch::new("lsp");
    let file = scratch.file("a program.c", WRONG.as_bytes());
    let uri = format!("file://{}", file.display()).replace(' ', "%20");
    let mut client = Client::start(&["--", "--timeout", "30s"], &scratch.0, able());

    // A violation, with its execution.
    client.open(&uri, WRONG);
    let begin =
        client.wait(|method, value| method == "$/progress" && value["value"]["kind"] == "begin");
    assert_eq!(begin["value"]["title"], "Concord: a program.c");
    client.wait(|method, value| {
        method == "window/workDoneProgress/create" && value["token"] == begin["token"]
    });
    let diagnostics = client.diagnostics(&uri);
    let errors: Vec<&Value> = diagnostics
        .iter()
        .filter(|one| one["severity"] == 1)
        .collect();
    assert_eq!(errors.len(), 1, "{diagnostics:?}");
    let violation = errors[0];
    assert_eq!(violation["code"], "unreach-call");
    assert_eq!(violation["range"]["start"]["line"], 5);
    assert_eq!(
        violation["range"]["end"],
        json!({"line": 5, "character": 30})
    );
    let text = violation["message"].as_str().unwrap_or_default();
    assert!(text.contains("__VERIFIER_nondet_int() = 7"), "{text}");
    let steps = violation["relatedInformation"].as_array().expect("steps");
    let said: Vec<&Value> = steps.iter().map(|step| &step["message"]).collect();
    assert!(
        said.contains(&&json!("n = 7")) && said.contains(&&json!("m = 8")),
        "{said:?}"
    );
    assert_eq!(steps[0]["location"]["uri"], uri.as_str());
    let end =
        client.wait(|method, value| method == "$/progress" && value["value"]["kind"] == "end");
    assert_eq!(end["value"]["message"], "FALSE (unreach-call)");

    // The harness, as an edit that creates a file; elsewhere there is no such action.
    assert_eq!(client.actions(&uri, 0), json!([]));
    let actions = client.actions(&uri, 5);
    let changes = &actions[0]["edit"]["documentChanges"];
    assert_eq!(changes[0]["kind"], "create");
    let target = changes[0]["uri"].as_str().unwrap_or_default();
    assert!(target.ends_with("/a%20program.harness.c"), "{target}");
    let harness = changes[1]["edits"][0]["newText"]
        .as_str()
        .unwrap_or_default();
    assert!(harness.contains("__VERIFIER_nondet_int"), "{harness}");

    // A proof: nothing is wrong any more, and the loop has an invariant.
    scratch.file("a program.c", LOOP.as_bytes());
    client.save(&uri);
    let diagnostics = client.diagnostics(&uri);
    assert!(
        diagnostics.iter().all(|one| one["severity"] != 1),
        "{diagnostics:?}"
    );
    client.wait(|method, _| method == "workspace/inlayHint/refresh");
    let lines = |first: u32, last: u32| {
        let at = |line: u32| json!({"line": line, "character": 0});
        json!({
            "textDocument": {"uri": uri},
            "range": {"start": at(first), "end": at(last)},
        })
    };
    let hints = client.ask("textDocument/inlayHint", lines(0, 9));
    let label = hints[0]["label"].as_str().unwrap_or_default();
    assert!(
        label.starts_with("invariant: ") && label.contains(" == "),
        "{hints}"
    );
    assert_eq!(hints[0]["position"], json!({"line": 4, "character": 37}));
    assert_eq!(client.ask("textDocument/inlayHint", lines(6, 9)), json!([]));
    assert_eq!(client.actions(&uri, 5), json!([]));

    // What is no program.
    scratch.file("a program.c", b"int main(void) {\n    return x;\n}\n");
    client.save(&uri);
    let diagnostics = client.diagnostics(&uri);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert_eq!(diagnostics[0]["severity"], 1);
    assert_eq!(
        diagnostics[0]["range"]["start"],
        json!({"line": 1, "character": 11})
    );

    // Closed files have no diagnostics; unknown requests have an answer.
    client.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri}}),
    );
    assert_eq!(client.diagnostics(&uri), Vec::<Value>::new());
    let answer = client.ask("textDocument/hover", json!({"textDocument": {"uri": uri}}));
    assert_eq!(answer["code"], -32601);
    assert_eq!(client.leave(), Some(0));
    common::nothing_is_left(&scratch.0);
}

/// With a verdict for every check, each violation has its place and its execution.
#[test]
fn every_violated_check_is_a_diagnostic() {
    let text = "\
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    int m = __VERIFIER_nondet_int();
    int half = m / 2;
    if (half) n = n + 1;
    return 100 / m;
}
";
    let scratch = Scratch::new("lsp-checks");
    let file = scratch.file("program.c", text.as_bytes());
    let uri = format!("file://{}", file.display());
    let mut client = Client::start(&["--", "--property", "all"], &scratch.0, able());
    client.open(&uri, text);
    let diagnostics = client.diagnostics(&uri);
    let errors = diagnostics.iter().filter(|one| one["severity"] == 1);
    let mut found: Vec<(u64, &str)> = errors
        .map(|one| {
            assert!(
                one["relatedInformation"]
                    .as_array()
                    .is_some_and(|list| !list.is_empty())
            );
            let line = one["range"]["start"]["line"].as_u64().unwrap_or_default();
            (line, one["code"].as_str().unwrap_or_default())
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, [(5, "no-overflow"), (6, "no-division-by-zero")]);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn editors_that_cannot_create_files_let_the_server_do_it() {
    let scratch = Scratch::new("lsp-command");
    let file = scratch.file("program.c", WRONG.as_bytes());
    let uri = format!("file://{}", file.display());
    let mut client = Client::start(&["--stdio"], &scratch.0, json!({}));
    client.open(&uri, WRONG);
    client.diagnostics(&uri);
    let actions = client.actions(&uri, 5);
    let command = actions[0]["command"].clone();
    assert_eq!(command["command"], "concord.writeHarness");
    let arguments = json!({"command": command["command"], "arguments": command["arguments"]});
    client.ask("workspace/executeCommand", arguments);
    let written = std::fs::read_to_string(scratch.0.join("program.harness.c"));
    assert!(
        written
            .expect("a harness")
            .contains("__VERIFIER_nondet_int")
    );
    let other = json!({"command": "concord.other", "arguments": [uri]});
    assert_eq!(
        client.ask("workspace/executeCommand", other)["code"],
        -32803
    );
    assert!(
        client.heard.iter().all(|message| match message {
            Message::Notification(one) => one.method != "$/progress",
            Message::Request(_) => false,
            Message::Response(_) => true,
        }),
        "nothing that the editor did not say it knows: {:?}",
        client.heard
    );
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_check_can_be_stopped_and_leaves_nothing_behind() {
    let scratch = Scratch::new("lsp-stop");
    let file = scratch.file("generator.c", common::GENERATOR.as_bytes());
    let uri = format!("file://{}", file.display());
    let mut client = Client::start(&["--", "--timeout", "10min"], &scratch.0, able());
    client.open(&uri, common::GENERATOR);
    let report =
        client.wait(|method, value| method == "$/progress" && value["value"]["kind"] == "report");
    let token = json!({"token": report["token"]});
    client.tell("window/workDoneProgress/cancel", token);
    let end =
        client.wait(|method, value| method == "$/progress" && value["value"]["kind"] == "end");
    assert_eq!(end["value"]["message"], "stopped");
    common::nothing_is_left(&file);
    // One that is at work when the editor goes away ends with it.
    client.save(&uri);
    client.wait(|method, value| {
        method == "$/progress" && value["value"]["kind"] == "report" && value != &report
    });
    assert_eq!(client.leave(), Some(0));
    common::nothing_is_left(&file);
}

#[test]
fn options_that_no_check_has_are_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["lsp", "--", "--no-such-option"])
        .stdin(Stdio::null())
        .output()
        .expect("concord can be started");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("--no-such-option"), "{said}");
}
