//! Haltermann2020, tables 3 to 6: 342 tasks, 900 s, 15 GB. Names are
//! `master-helpers-timer[-wait-limit]`. Where the paper's helpers are not installed, Concord's own
//! analyses stand in, as external processes: IC3CFA (CIC) for SeaHorn, trace abstraction (CTA) for
//! Ultimate Automizer, the default (CD) for VeriAbs.

use super::measure::Measure;
use super::spec::{Row, Spec, matrix, rows};
use runner::verdict::Status;

pub fn specs() -> Vec<Spec> {
    vec![table_3(), table_4(), table_5(), table_6()]
}

fn table_3() -> Spec {
    let measures = [
        Measure::Correct,
        Measure::CorrectProofs,
        Measure::CorrectAlarms,
        Measure::Additional(Status::True),
        Measure::Additional(Status::False),
    ];
    let block = |text, baseline| -> Vec<Row> {
        let mut block = rows(text, &measures);
        for row in block.iter_mut().skip(1) {
            row.baseline = Some(baseline);
        }
        block
    };
    let induction = "
        k-induction | kInd/k-induction | 146 102 44 . .
        kInd-SH-50  | kInd-SH-50/kInd-CIC-50       | 148 104 44 +3 0
        kInd-UA-50  | kInd-UA-50/kInd-CTA-50       | 158 114 44 +13 0
        kInd-VA-50  | kInd-VA-50/kInd-CD-50       | 163 119 44 +19 0";
    let predicate = "
        pred abstr. | pred/predicate | 116 78 38 . .
        pred-SH-50  | pred-SH-50/pred-CIC-50     | 122 84 38 +6 0
        pred-UA-50  | pred-UA-50/pred-CTA-50     | 132 94 38 +16 0
        pred-VA-50  | pred-VA-50/pred-CD-50     | 125 87 38 +9 0";
    let mut rows = block(induction, "kInd/k-induction");
    rows.extend(block(predicate, "pred/predicate"));
    Spec {
        title: "table 3: the two master verifiers alone and with a single helper",
        header: vec![
            "",
            "correct overall",
            "correct true",
            "correct false",
            "additional true",
            "additional false",
        ],
        rows,
        categories: &[],
        note: "",
    }
}

fn table_4() -> Spec {
    let text = "
        kInd | kInd/k-induction, kInd-SH-50/kInd-CIC-50, kInd-UA-50/kInd-CTA-50, kInd-VA-50/kInd-CD-50 | 491_(50) 489_(63) 477_(68) 482_(107)
        Pred | pred/predicate, pred-SH-50/pred-CIC-50, pred-UA-50/pred-CTA-50, pred-VA-50/pred-CD-50 | 479_(30) 468_(39) 454_(51) 470_(49)";
    Spec {
        title: "table 4: average CPU time of all tasks and, in brackets, of correct answers, in seconds",
        header: vec!["", "master alone", "+SH", "+UA", "+VA"],
        rows: matrix(text, Measure::CpuMeans),
        categories: &[],
        note: "",
    }
}

const HELPERS: [&str; 7] = [
    "",
    "k-induction -SH",
    "k-induction -UA",
    "k-induction -VA",
    "pred. abstr. -SH",
    "pred. abstr. -UA",
    "pred. abstr. -VA",
];

fn table_5() -> Spec {
    let text = "
        50s  | kInd-SH-50/kInd-CIC-50, kInd-UA-50/kInd-CTA-50, kInd-VA-50/kInd-CD-50, pred-SH-50/pred-CIC-50, pred-UA-50/pred-CTA-50, pred-VA-50/pred-CD-50 | 148 158 163 122 132 125
        100s | kInd-SH-100/kInd-CIC-100, kInd-UA-100/kInd-CTA-100, kInd-VA-100/kInd-CD-100, pred-SH-100/pred-CIC-100, pred-UA-100/pred-CTA-100, pred-VA-100/pred-CD-100 | 148 157 161 122 132 125
        200s | kInd-SH-200/kInd-CIC-200, kInd-UA-200/kInd-CTA-200, kInd-VA-200/kInd-CD-200, pred-SH-200/pred-CIC-200, pred-UA-200/pred-CTA-200, pred-VA-200/pred-CD-200 | 148 157 156 122 132 125";
    Spec {
        title: "table 5: correctly verified tasks for different times of the master alone (timerM)",
        header: HELPERS.to_vec(),
        rows: matrix(text, Measure::Correct),
        categories: &[],
        note: "The times are those of the paper's limit of 900 s; configurations state them as fractions of the whole.",
    }
}

fn table_6() -> Spec {
    let text = "
        default | kInd-SH-UA-50/kInd-CIC-CTA-50, kInd-SH-VA-50/kInd-CIC-CD-50, kInd-UA-VA-50/kInd-CTA-CD-50, pred-SH-UA-50/pred-CIC-CTA-50, pred-SH-VA-50/pred-CIC-CD-50, pred-UA-VA-50/pred-CTA-CD-50 | 153 156 163 130 130 136
        wait-100 | kInd-SH-UA-50-wait-100/kInd-CIC-CTA-50-wait-100, kInd-SH-VA-50-wait-100/kInd-CIC-CD-50-wait-100, kInd-UA-VA-50-wait-100/kInd-CTA-CD-50-wait-100, pred-SH-UA-50-wait-100/pred-CIC-CTA-50-wait-100, pred-SH-VA-50-wait-100/pred-CIC-CD-50-wait-100, pred-UA-VA-50-wait-100/pred-CTA-CD-50-wait-100 | 156 155 161 132 131 136
        wait-200 | kInd-SH-UA-50-wait-200/kInd-CIC-CTA-50-wait-200, kInd-SH-VA-50-wait-200/kInd-CIC-CD-50-wait-200, kInd-UA-VA-50-wait-200/kInd-CTA-CD-50-wait-200, pred-SH-UA-50-wait-200/pred-CIC-CTA-50-wait-200, pred-SH-VA-50-wait-200/pred-CIC-CD-50-wait-200, pred-UA-VA-50-wait-200/pred-CTA-CD-50-wait-200 | 155 156 155 132 129 135";
    Spec {
        title: "table 6: correctly solved tasks with two helpers in parallel",
        header: vec![
            "",
            "k-induction SH-UA",
            "k-induction SH-VA",
            "k-induction UA-VA",
            "pred. abstr. SH-UA",
            "pred. abstr. SH-VA",
            "pred. abstr. UA-VA",
        ],
        rows: matrix(text, Measure::Correct),
        categories: &[],
        note: "",
    }
}
