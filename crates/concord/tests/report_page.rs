//! The report in a real browser: it opens without an error, and its parts follow one another.
//!
//! A copy of each report gets a script that uses it as a reader would (keys, clicks, search) and
//! writes what it saw into the document, which the browser prints at the end.

use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const VIOLATION: &str = r#"
#include <assert.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);
int balance;
static int fee(int amount) {
    if (amount > 1000)
        return 10;
    return amount / 100;
}
static int withdraw(int amount) {
    int cost = fee(amount);
    balance = balance - amount - cost;
    return balance;
}
int main(void) {
    char name[8], copy[8];
    memset(name, 'a', 7);
    name[7] = 0;
    strcpy(copy, name);
    balance = 300;
    for (int i = 0; i < 3; i++) {
        int amount = __VERIFIER_nondet_int();
        if (amount < 0 || amount > 400) continue;
        if (amount <= balance)
            withdraw(amount);
    }
    assert(balance >= 0);
    return 0;
}
"#;

const PROOF: &str = r#"
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = 0, n = __VERIFIER_nondet_int();
    if (n < 0 || n > 5) return 0;
    while (x < n) { x++; }
    assert(x == n);
    if (x > 9) x = 3;
    return 0;
}
"#;

/// It holds, but bit by bit the equality of two such products is out of reach.
const TIME_OUT: &str = r#"
#include <assert.h>
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
int main(void) {
    unsigned long long a = __VERIFIER_nondet_ulonglong(), b = __VERIFIER_nondet_ulonglong();
    unsigned long long n = __VERIFIER_nondet_ulonglong();
    while (n > 1) { n = n / 2; b ^= a; }
    assert(a * a * a - b * b * b == (a - b) * (a * a + a * b + b * b));
    return 0;
}
"#;

/// Runs before the page's own script.
const BEFORE: &str = r#"<script>
window.seen = {errors: []};
window.addEventListener("error", event => seen.errors.push(String(event.message)));
window.addEventListener("unhandledrejection", event => seen.errors.push(String(event.reason)));
for (const name of ["error", "warn"]) console[name] = (...words) => seen.errors.push(words.join(" "));
</script>"#;

/// Uses the page, then leaves what it saw.
const AFTER: &str = r##"<script>
window.addEventListener("load", () => setTimeout(() => {
  const $ = id => document.getElementById(id);
  const press = key => document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  const position = () => $("position")?.textContent ?? "";
  const visible = () => [...document.querySelectorAll("[role=tabpanel]")].filter(panel => !panel.hidden).map(panel => panel.id).join();
  try {
    seen.elements = document.getElementsByTagName("*").length;
    seen.tabs = [];
    for (const tab of document.querySelectorAll("[role=tab]")) { tab.click(); seen.tabs.push(visible()); }
    press("1"); seen.afterOne = visible();
    seen.lines = document.querySelectorAll(".l").length;
    seen.executed = document.querySelectorAll(".l.x").length;
    seen.notExecuted = document.querySelectorAll(".l.u").length;
    seen.headline = document.querySelector(".headline").textContent;
    seen.positions = [position()];
    press("ArrowLeft"); seen.positions.push(position());
    press("Home"); seen.positions.push(position());
    press("ArrowRight"); seen.positions.push(position());
    $("forward")?.click(); seen.positions.push(position());
    if ($("search")) {
      press("/"); seen.searching = visible() + ":" + document.activeElement.id;
      $("search").value = "fee"; $("search").dispatchEvent(new Event("input"));
      seen.matches = $("matches").textContent;
      $("search").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true}));
      $("search").blur();
      seen.found = document.querySelector("#steps .now code").textContent;
      seen.sourceNow = document.querySelector(".l.now code").textContent;
      seen.values = document.querySelectorAll(".l .values").length;
      press("End");
      seen.stack = [...document.querySelectorAll("#stack code")].map(code => code.textContent);
      seen.folded = [...document.querySelectorAll(".folded")].map(tag => tag.textContent);
      seen.variables = $("variables").textContent;
      seen.inputs = document.querySelectorAll("aside .inputs tr").length - 1;
      seen.firstInputs = document.querySelectorAll("#overview .inputs tr").length - 1;
    }
    $("tab-automaton").click(); seen.atAutomaton = visible();
    seen.blocks = document.querySelectorAll("#canvas .block").length;
    seen.loops = document.querySelectorAll("#canvas .block.loop").length;
    seen.onPath = document.querySelectorAll("#canvas .block.path").length;
    seen.nowBlock = document.querySelector("#canvas .block.now")?.textContent ?? "";
    const before = document.querySelector("#canvas svg > g").getAttribute("transform");
    press("+");
    seen.zoomed = before !== document.querySelector("#canvas svg > g").getAttribute("transform");
    $("canvas").dispatchEvent(new WheelEvent("wheel", {deltaY: 100, clientX: 300, clientY: 300, bubbles: true, cancelable: true}));
    const block = document.querySelector("#canvas .block.loop") ?? document.querySelector("#canvas .block");
    for (const name of ["pointerdown", "pointerup"]) block.dispatchEvent(new PointerEvent(name, {bubbles: true, clientX: 5, clientY: 5}));
    seen.afterClick = visible();
    seen.flashed = document.querySelector(".l.flash code")?.textContent ?? "";
    const choice = $("function");
    const states = [...choice.options].find(option => option.textContent.startsWith("Abstract states"));
    if (states) {
      $("tab-automaton").click();
      choice.value = states.value; choice.dispatchEvent(new Event("change"));
      const count = selector => document.querySelectorAll(`#canvas ${selector}`).length;
      const now = () => document.querySelector("#canvas .block.now")?.dataset.block ?? "";
      seen.states = {name: states.textContent, note: $("cut").textContent, boxes: count(".block"), path: count(".block.path"),
        dashed: count(".arrow.dashed"), text: $("canvas").textContent, now: []};
      press("End"); seen.states.now.push(now());
      press("Home"); seen.states.now.push(now());
      seen.states.stays = choice.value === states.value;
      const node = ["error", "loop", "block"].map(kind => document.querySelector(`#canvas .block.${kind}`)).find(Boolean);
      for (const name of ["pointerdown", "pointerup"]) node.dispatchEvent(new PointerEvent(name, {bubbles: true, clientX: 5, clientY: 5}));
      seen.states.afterClick = visible();
    }
    press("t"); seen.theme = document.documentElement.dataset.theme;
    seen.wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  } catch (error) { seen.errors.push(String(error.stack)); }
  document.body.innerHTML = "";
  document.title = JSON.stringify(seen);
}, 0));
</script>"##;

fn browser() -> Option<&'static str> {
    let found = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| {
            let version = Command::new(name)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            version.is_ok_and(|status| status.success())
        });
    if found.is_none() {
        assert!(std::env::var_os("CONCORD_CI").is_none(), "no browser");
        println!("SKIPPED: no browser");
    }
    found
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// Checks the program and returns the page.
fn report(folder: &Path, program: &str, timeout: &str) -> PathBuf {
    report_of("default", folder, program, timeout)
}

fn report_of(analysis: &str, folder: &Path, program: &str, timeout: &str) -> PathBuf {
    let file = folder.join("program.c");
    std::fs::write(&file, program).expect("the program can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["check", "--timeout", timeout, "--analysis", analysis])
        .arg("--output")
        .arg(folder.join("out"))
        .arg(&file)
        .output()
        .expect("concord can be started");
    assert!(
        output.status.code().is_some_and(|code| code != 2),
        "{output:?}"
    );
    folder.join("out/report.html")
}

/// Opens the page in the browser and returns what the script saw.
fn open(browser: &str, folder: &Path, page: &Path) -> Value {
    let text = std::fs::read_to_string(page).expect("the report is there");
    assert!(
        !text.contains("http://www.w3.org/1999") && !text.contains("src=\"http"),
        "the page stands alone"
    );
    let text = text.replacen("<style>", &format!("{BEFORE}<style>"), 1);
    let text = text.replacen("</body>", &format!("{AFTER}</body>"), 1);
    let copy = folder.join("tested.html");
    std::fs::write(&copy, text).expect("the copy can be written");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1280,800",
        ])
        .args([
            "--enable-logging=stderr",
            "--virtual-time-budget=10000",
            "--dump-dom",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .arg(format!("file://{}", copy.display()))
        .stdin(Stdio::null())
        .output()
        .expect("the browser can be started");
    let words = String::from_utf8_lossy(&output.stderr);
    let complaints: Vec<&str> = words
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .collect();
    assert!(complaints.is_empty(), "{complaints:?}");
    let dom = String::from_utf8_lossy(&output.stdout);
    let title = dom
        .split("<title>")
        .nth(1)
        .and_then(|rest| rest.split("</title>").next());
    let title = title
        .unwrap_or_default()
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let seen: Value =
        serde_json::from_str(&title).unwrap_or_else(|error| panic!("{error}: {title}\n{words}"));
    assert_eq!(seen["errors"], serde_json::json!([]), "{seen:#}");
    // No tab is empty: without a counterexample there is none for it.
    let violated = seen["headline"] == "An assertion can fail.";
    let tabs = [
        "overview",
        "source",
        "counterexample",
        "automaton",
        "statistics",
        "configuration",
        "log",
    ];
    let expected = tabs
        .iter()
        .filter(|tab| violated || **tab != "counterexample");
    assert_eq!(
        seen["tabs"],
        serde_json::json!(expected.collect::<Vec<_>>())
    );
    assert_eq!(seen["afterOne"], "overview");
    assert_eq!(seen["atAutomaton"], "automaton");
    assert_eq!(seen["zoomed"], true);
    assert_eq!(seen["wide"], false, "the page scrolls sideways");
    assert!(seen["blocks"].as_u64() >= Some(2), "{seen:#}");
    seen
}

#[test]
fn a_violation_can_be_followed_step_by_step() {
    let Some(browser) = browser() else { return };
    let folder = folder("violation");
    let seen = open(browser, &folder, &report(&folder, VIOLATION, "20s"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    assert_eq!(seen["headline"], "An assertion can fail.");
    let positions: Vec<String> = seen["positions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(text)
        .collect();
    let count: u64 = positions[0]
        .rsplit(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .expect("a number of steps");
    let expected: Vec<String> = [count, count - 1, 1, 2, 3]
        .iter()
        .map(|step| format!("step {step} of {count}"))
        .collect();
    assert_eq!(positions, expected);
    assert_eq!(seen["searching"], "counterexample:search");
    assert!(text(&seen["matches"]).ends_with("matches"), "{seen:#}");
    assert!(text(&seen["found"]).len() > 3);
    // Panels show the same line.
    assert_eq!(text(&seen["found"]).trim(), text(&seen["sourceNow"]).trim());
    assert!(seen["values"].as_u64() > Some(0));
    assert_eq!(seen["stack"][0], "main()");
    assert!(
        text(&seen["folded"][0]).starts_with("strcpy() · "),
        "{seen:#}"
    );
    assert!(text(&seen["variables"]).contains("balance"), "{seen:#}");
    assert!(seen["inputs"].as_u64() >= Some(1));
    assert!(seen["firstInputs"].as_u64() >= Some(1));
    assert!(
        seen["onPath"].as_u64() >= Some(3) && seen["loops"] == 1,
        "{seen:#}"
    );
    assert!(text(&seen["nowBlock"]).contains("error"), "{seen:#}");
    assert_eq!(seen["afterClick"], "source");
    assert!(text(&seen["flashed"]).contains("for (int i"), "{seen:#}");
}

#[test]
fn a_proof_and_a_time_out_can_be_read() {
    let Some(browser) = browser() else { return };
    for (name, program, timeout, headline) in [
        ("proof", PROOF, "20s", "No assertion can fail."),
        ("timeout", TIME_OUT, "2s", "No answer: "),
    ] {
        let folder = folder(name);
        let seen = open(browser, &folder, &report(&folder, program, timeout));
        assert!(
            seen["headline"]
                .as_str()
                .is_some_and(|text| text.starts_with(headline)),
            "{seen:#}"
        );
        assert_eq!(seen["positions"][0], "");
        assert!(seen["executed"].as_u64() >= Some(3), "{seen:#}");
        assert_eq!(seen["afterClick"], "source");
        assert!(
            seen["flashed"]
                .as_str()
                .is_some_and(|text| text.contains("while")),
            "{seen:#}"
        );
    }
}

/// One input fails, behind a loop that has to be followed.
const BEHIND_A_LOOP: &str = r#"
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), i = 0, hits = 0;
    while (i < 3) {
        if (n * 3 == 231369)
            hits = hits + 1;
        i = i + 1;
    }
    assert(hits != 3);
    return 0;
}
"#;

#[test]
fn abstract_states_are_drawn_and_follow_the_steps() {
    let Some(browser) = browser() else { return };
    for analysis in ["predicate", "eva-refiner"] {
        let folder = folder(&format!("states-{analysis}"));
        let page = report_of(analysis, &folder, BEHIND_A_LOOP, "20s");
        let seen = open(browser, &folder, &page);
        assert_eq!(seen["headline"], "An assertion can fail.", "{analysis}");
        let states = &seen["states"];
        let name = format!("Abstract states ({analysis})");
        assert_eq!(states["name"], name.as_str(), "{seen:#}");
        let number = |name: &str| states[name].as_u64().unwrap_or(0);
        assert!(number("boxes") >= 4 && number("path") >= 4, "{states:#}");
        // The last step is at the error, the first one at the start, and nothing else is shown
        // meanwhile.
        assert_ne!(states["now"][0], states["now"][1], "{states:#}");
        assert_ne!(states["now"][0], "", "{states:#}");
        assert_eq!(states["stays"], true, "{states:#}");
        assert_eq!(states["afterClick"], "source", "{states:#}");
    }
}

#[test]
fn a_proof_shows_what_covers_what() {
    let Some(browser) = browser() else { return };
    let folder = folder("states-proof");
    let seen = open(
        browser,
        &folder,
        &report_of("predicate", &folder, PROOF, "20s"),
    );
    let states = &seen["states"];
    assert!(states["dashed"].as_u64() >= Some(1), "{seen:#}");
    assert_eq!(states["path"], 0, "{states:#}");
    let note = states["note"].as_str().unwrap_or_default();
    assert!(note.contains("abstract states are shown"), "{note}");
}

/// Ten elements a line: its number, its text, and a few words in colour.
const MAX_ELEMENTS: u64 = 50_000;

/// Some 5,000 lines: small functions with loops and branches, one of which can fail.
fn long_program() -> String {
    let mut text =
        String::from("#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint total;\n");
    for number in 0..310 {
        let _ = write!(
            text,
            "static int work{number}(int a) {{\n    int sum = 0;\n    for (int i = 0; i < a; i++) {{\n        if (i % 3 == 0)\n            \
             sum += i * {number};\n        else if (i > 7)\n            sum -= 1; /* a comment that says little */\n        \
             else\n            sum ^= i;\n    }}\n    if (sum > {number}) {{\n        total = total + 1;\n    }}\n    \
             return sum;\n}}\n\n"
        );
    }
    text += "int main(void) {\n    int n = __VERIFIER_nondet_int();\n    if (n < 0 || n > 20)\n        return 0;\n";
    for number in 0..310 {
        let _ = writeln!(text, "    n = work{number}(n & 15);");
    }
    text += "    assert(total < 100);\n    return 0;\n}\n";
    text
}

#[test]
fn a_program_of_5000_lines_opens_with_little_to_lay_out() {
    let Some(browser) = browser() else { return };
    let folder = folder("long");
    let program = long_program();
    assert!(program.lines().count() >= 5000);
    let page = report(&folder, &program, "20s");
    let size = std::fs::metadata(&page).expect("the page is there").len();
    assert!(size <= 5_000_000, "{size} bytes");
    let seen = open(browser, &folder, &page);
    assert!(seen["lines"].as_u64() >= Some(5000));
    // How long opening takes depends on the machine; what the browser has to lay out does not.
    let elements = seen["elements"].as_u64().unwrap_or(u64::MAX);
    assert!(elements <= MAX_ELEMENTS, "{elements} elements");
}

#[test]
fn frames_of_ic3_are_shown_as_c_iteration_by_iteration() {
    let folder = folder("frames");
    let page = report_of("IC3CFA", &folder, PROOF, "20s");
    let text = std::fs::read_to_string(page).expect("the report is there");
    assert!(text.contains("id=tab-frames"), "{text}");
    let iterations = (0..10).filter(|number| {
        let title = format!("<summary>ic3cfa, iteration {number}: ");
        text.contains(&title)
    });
    let iterations: Vec<u32> = iterations.collect();
    assert!(
        iterations.len() >= 2 && iterations[0] == 0,
        "{iterations:?}"
    );
    // The loop is in line 7, and the proof needs something about both variables there.
    let frames = text.split("<details class=frames open>").nth(1);
    let frames = frames.and_then(|rest| rest.split("</details>").next());
    let frames = frames.expect("the last iteration is open");
    assert!(frames.contains("<td>main, line 7</td>"), "{frames}");
    assert!(frames.contains("not reached"), "{frames}");
    let clauses: Vec<&str> = frames.split("<code>").skip(1).collect();
    let is_relation = |clause: &&str| clause.contains('x') && clause.contains('n');
    assert!(clauses.iter().any(is_relation), "{frames}");

    // Other analyses have no such part.
    let page = report_of("kInduction", &folder, PROOF, "20s");
    let text = std::fs::read_to_string(page).expect("the report is there");
    assert!(!text.contains("id=tab-frames"));
}
