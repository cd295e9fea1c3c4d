//! Trees as short texts, to be compared in tests: expressions in prefix form, declarators in the
//! order in which they are read.

use crate::ast::*;
use crate::names::Names;

pub(super) struct Dump<'a>(pub &'a Names);

fn join<T>(items: impl IntoIterator<Item = T>, mut show: impl FnMut(T) -> String) -> String {
    items
        .into_iter()
        .map(&mut show)
        .collect::<Vec<_>>()
        .join(" ")
}

impl Dump<'_> {
    fn name(&self, name: crate::span::Name) -> &str {
        self.0.get(name)
    }

    pub(super) fn item(&self, item: &Item) -> String {
        match item {
            Item::Function(function) => self.function(function),
            Item::Declaration(declaration) => self.declaration(declaration),
            Item::StaticAssert(assert) => self.static_assert(assert),
            Item::Asm(_) => "(asm)".into(),
        }
    }

    fn static_assert(&self, assert: &StaticAssert) -> String {
        format!("(static_assert {})", self.expr(&assert.condition))
    }

    fn function(&self, function: &FunctionDef) -> String {
        let head = self.declared(&function.specs, &function.declarator);
        let old = join(&function.old_style_params, |declaration| {
            self.declaration(declaration)
        });
        let body = self.block(&function.body);
        if old.is_empty() {
            format!("(function {head} {body})")
        } else {
            format!("(function {head} {old} {body})")
        }
    }

    fn declaration(&self, declaration: &Declaration) -> String {
        let specs = &declaration.specs;
        if declaration.declarators.is_empty() {
            return format!("(declare {})", self.specs(specs));
        }
        join(&declaration.declarators, |init| {
            let mut text = format!("({}", self.declared(specs, &init.declarator));
            if let Some(label) = &init.asm_label {
                text += &format!(" asm:{}", String::from_utf8_lossy(label));
            }
            if let Some(init) = &init.init {
                text += &format!(" = {}", self.initializer(init));
            }
            text + ")"
        })
    }

    /// `name: derived specs`.
    fn declared(&self, specs: &DeclSpecs, declarator: &Declarator) -> String {
        let name = declarator
            .name
            .as_ref()
            .map_or("_", |ident| self.name(ident.name));
        let derived = self.derived(&declarator.derived);
        let attributes = self.attributes(&declarator.attributes);
        format!("{name}: {derived}{}{attributes}", self.specs(specs))
    }

    fn derived(&self, derived: &[Derived]) -> String {
        let mut text = String::new();
        for part in derived {
            match part {
                Derived::Pointer(quals) => text += &format!("*{} ", quals_text(*quals)),
                Derived::Array {
                    size,
                    quals,
                    is_static,
                } => {
                    let size = match size {
                        ArraySize::Unknown => String::new(),
                        ArraySize::Star => "*".into(),
                        ArraySize::Expr(size) => self.expr(size),
                    };
                    let mark = if *is_static { "static " } else { "" };
                    text += &format!("[{mark}{}{size}] ", quals_text(*quals));
                }
                Derived::Function(Params::Unspecified) => text += "() ",
                Derived::Function(Params::Names(names)) => {
                    text += &format!("({}) ", join(names, |ident| self.name(ident.name).into()));
                }
                Derived::Function(Params::Prototype { params, variadic }) => {
                    let params = join(params, |param| {
                        format!("{},", self.declared(&param.specs, &param.declarator))
                    });
                    let dots = if *variadic { " ..." } else { "" };
                    let none = if params.is_empty() && !variadic {
                        "void"
                    } else {
                        ""
                    };
                    text += &format!("({params}{none}{dots}) ");
                }
            }
        }
        text
    }

    fn specs(&self, specs: &DeclSpecs) -> String {
        let mut words: Vec<String> = Vec::new();
        if specs.storage != Storage::None {
            words.push(format!("{:?}", specs.storage).to_lowercase());
        }
        for (on, word) in [
            (specs.thread_local, "thread"),
            (specs.inline, "inline"),
            (specs.noreturn, "noreturn"),
        ] {
            if on {
                words.push(word.into());
            }
        }
        for align in &specs.alignas {
            words.push(match align {
                AlignAs::Type(name) => format!("alignas({})", self.type_name(name)),
                AlignAs::Expr(expr) => format!("alignas({})", self.expr(expr)),
            });
        }
        let quals = quals_text(specs.quals);
        if !quals.is_empty() {
            words.push(quals);
        }
        words.push(self.type_spec(&specs.ty));
        words.join(" ") + &self.attributes(&specs.attributes)
    }

    fn type_spec(&self, ty: &TypeSpec) -> String {
        match ty {
            TypeSpec::Basic(basic) => format!("{basic:?}"),
            TypeSpec::Complex(part) => format!("Complex{part:?}"),
            TypeSpec::Typedef(name, _) => self.name(*name).into(),
            TypeSpec::TypeofExpr(expr) => format!("typeof({})", self.expr(expr)),
            TypeSpec::TypeofType(name) => format!("typeof({})", self.type_name(name)),
            TypeSpec::Auto => "auto_type".into(),
            TypeSpec::Missing => "?".into(),
            TypeSpec::Record(record) => {
                let kind = if record.kind == RecordKind::Struct {
                    "struct"
                } else {
                    "union"
                };
                let tag = record.tag.map_or("_", |tag| self.name(tag));
                let mut text = format!("{kind} {tag}");
                if let Some(fields) = &record.fields {
                    text += &format!("{{{}}}", join(fields, |field| self.field(field)));
                }
                text + &self.attributes(&record.attributes)
            }
            TypeSpec::Enum(spec) => {
                let mut text = format!("enum {}", spec.tag.map_or("_", |tag| self.name(tag)));
                if let Some(list) = &spec.enumerators {
                    let list = join(list, |enumerator| {
                        let name = self.name(enumerator.name);
                        match &enumerator.value {
                            Some(value) => format!("{name}={}", self.expr(value)),
                            None => name.into(),
                        }
                    });
                    text += &format!("{{{list}}}");
                }
                text + &self.attributes(&spec.attributes)
            }
        }
    }

    fn field(&self, field: &FieldItem) -> String {
        match field {
            FieldItem::StaticAssert(assert) => self.static_assert(assert),
            FieldItem::Fields { specs, declarators } if declarators.is_empty() => {
                format!("({})", self.specs(specs))
            }
            FieldItem::Fields { specs, declarators } => join(declarators, |field| {
                let mut text = match &field.declarator {
                    Some(declarator) => self.declared(specs, declarator),
                    None => format!("_: {}", self.specs(specs)),
                };
                if let Some(width) = &field.width {
                    text += &format!(" :{}", self.expr(width));
                }
                format!("({text}{})", self.attributes(&field.attributes))
            }),
        }
    }

    fn attributes(&self, attributes: &[Attribute]) -> String {
        attributes
            .iter()
            .map(|attribute| {
                let name = self.name(attribute.name);
                let args = join(&attribute.args, |arg| match arg {
                    AttributeArg::Ident(ident) => self.name(ident.name).into(),
                    AttributeArg::Expr(expr) => self.expr(expr),
                    AttributeArg::Type(name) => self.type_name(name),
                });
                if args.is_empty() {
                    format!(" @{name}")
                } else {
                    format!(" @{name}({args})")
                }
            })
            .collect()
    }

    fn type_name(&self, name: &TypeName) -> String {
        let derived = self.derived(&name.declarator.derived);
        let attributes = self.attributes(&name.declarator.attributes);
        format!("{derived}{}{attributes}", self.specs(&name.specs))
    }

    fn initializer(&self, init: &Initializer) -> String {
        match init {
            Initializer::Expr(expr) => self.expr(expr),
            Initializer::List(items, _) => self.init_list(items),
        }
    }

    fn init_list(&self, items: &[InitItem]) -> String {
        let items = join(items, |item| {
            let path = self.designators(&item.designators);
            let equals = if path.is_empty() { "" } else { "=" };
            format!("{path}{equals}{}", self.initializer(&item.init))
        });
        format!("{{{items}}}")
    }

    fn designators(&self, designators: &[Designator]) -> String {
        designators
            .iter()
            .map(|designator| match designator {
                Designator::Field(ident) => format!(".{}", self.name(ident.name)),
                Designator::Index(index) => format!("[{}]", self.expr(index)),
                Designator::Range(low, high) => {
                    format!("[{}...{}]", self.expr(low), self.expr(high))
                }
            })
            .collect()
    }

    fn block(&self, block: &Block) -> String {
        let items = join(&block.items, |item| match item {
            BlockItem::Declaration(declaration) => self.declaration(declaration),
            BlockItem::StaticAssert(assert) => self.static_assert(assert),
            BlockItem::Statement(statement) => self.stmt(statement),
            BlockItem::NestedFunction(function) => self.function(function),
        });
        format!("{{{items}}}")
    }

    pub(super) fn stmt(&self, stmt: &Stmt) -> String {
        let maybe = |expr: Option<&Expr>| expr.map_or("_".into(), |expr| self.expr(expr));
        match &stmt.kind {
            StmtKind::Empty => ";".into(),
            StmtKind::Expr(expr) => format!("{};", self.expr(expr)),
            StmtKind::Block(block) => self.block(block),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let rest = otherwise.as_ref().map_or(String::new(), |otherwise| {
                    format!(" else {}", self.stmt(otherwise))
                });
                format!("(if {} {}{rest})", self.expr(condition), self.stmt(then))
            }
            StmtKind::While { condition, body } => {
                format!("(while {} {})", self.expr(condition), self.stmt(body))
            }
            StmtKind::DoWhile { body, condition } => {
                format!("(do {} {})", self.stmt(body), self.expr(condition))
            }
            StmtKind::For {
                init,
                condition,
                step,
                body,
            } => {
                let init = match init.as_deref() {
                    None => "_".into(),
                    Some(ForInit::Declaration(declaration)) => self.declaration(declaration),
                    Some(ForInit::Expr(expr)) => self.expr(expr),
                };
                format!(
                    "(for {init} {} {} {})",
                    maybe(condition.as_deref()),
                    maybe(step.as_deref()),
                    self.stmt(body)
                )
            }
            StmtKind::Switch { value, body } => {
                format!("(switch {} {})", self.expr(value), self.stmt(body))
            }
            StmtKind::Case { low, high, body } => {
                let high = high
                    .as_ref()
                    .map_or(String::new(), |high| format!("...{}", self.expr(high)));
                format!("(case {}{high} {})", self.expr(low), self.stmt(body))
            }
            StmtKind::Default(body) => format!("(default {})", self.stmt(body)),
            StmtKind::Label { label, body } => {
                format!("({}: {})", self.name(label.name), self.stmt(body))
            }
            StmtKind::Goto(label) => format!("(goto {})", self.name(label.name)),
            StmtKind::ComputedGoto(target) => format!("(goto *{})", self.expr(target)),
            StmtKind::Break => "break".into(),
            StmtKind::Continue => "continue".into(),
            StmtKind::Return(value) => format!("(return {})", maybe(value.as_ref())),
            StmtKind::LocalLabels(labels) => {
                format!(
                    "(labels {})",
                    join(labels, |label| self.name(label.name).into())
                )
            }
            StmtKind::Asm(asm) => {
                let operands = |operands: &[AsmOperand]| {
                    join(operands, |operand| {
                        let constraint = String::from_utf8_lossy(&operand.constraint);
                        format!("{constraint}{}", self.expr(&operand.value))
                    })
                };
                let clobbers = join(&asm.clobbers, |name| String::from_utf8_lossy(name).into());
                let labels = join(&asm.labels, |label| self.name(label.name).into());
                format!(
                    "(asm {}|{}|{}|{clobbers}|{labels})",
                    String::from_utf8_lossy(&asm.template),
                    operands(&asm.outputs),
                    operands(&asm.inputs)
                )
            }
        }
    }

    pub(super) fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Name(name) => self.name(*name).into(),
            ExprKind::Int {
                value,
                unsigned,
                longs,
                ..
            } => {
                let suffix = if *unsigned { "u" } else { "" };
                let value = u128::from(*value);
                format!("{value}{suffix}{}", "l".repeat(usize::from(*longs)))
            }
            ExprKind::Float { text, ty } => format!("{text}{ty:?}"),
            ExprKind::Char { value, width } => format!("'{}{}'", width_text(*width), *value as i32),
            ExprKind::String { units, width } => {
                let text: String = units
                    .iter()
                    .map(|&unit| char::from_u32(unit).unwrap_or('?'))
                    .collect();
                format!("{}{text:?}", width_text(*width))
            }
            ExprKind::Unary(op, operand) => format!("({op:?} {})", self.expr(operand)),
            ExprKind::Binary(op, left, right) => {
                format!("({op:?} {} {})", self.expr(left), self.expr(right))
            }
            ExprKind::Assign(op, left, right) => {
                let op = op.map_or(String::new(), |op| format!("{op:?}"));
                format!("({op}= {} {})", self.expr(left), self.expr(right))
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let then = then.as_ref().map_or("_".into(), |then| self.expr(then));
                format!(
                    "(? {} {then} {})",
                    self.expr(condition),
                    self.expr(otherwise)
                )
            }
            ExprKind::Comma(left, right) => format!("(, {} {})", self.expr(left), self.expr(right)),
            ExprKind::Cast(name, operand) => {
                format!("(cast {}: {})", self.type_name(name), self.expr(operand))
            }
            ExprKind::CompoundLiteral(name, items) => {
                format!(
                    "(literal {}: {})",
                    self.type_name(name),
                    self.init_list(items)
                )
            }
            ExprKind::Call(function, arguments) => {
                let mut parts = vec![self.expr(function)];
                parts.extend(arguments.iter().map(|argument| self.expr(argument)));
                format!("(call {})", parts.join(" "))
            }
            ExprKind::Index(base, index) => {
                format!("(index {} {})", self.expr(base), self.expr(index))
            }
            ExprKind::Member { base, field, arrow } => {
                let sign = if *arrow { "->" } else { "." };
                format!("({sign} {} {})", self.expr(base), self.name(field.name))
            }
            ExprKind::SizeofExpr(operand) => format!("(sizeof {})", self.expr(operand)),
            ExprKind::SizeofType(name) => format!("(sizeof type {})", self.type_name(name)),
            ExprKind::AlignofExpr(operand) => format!("(alignof {})", self.expr(operand)),
            ExprKind::PreferredAlignofType(name) => {
                format!("(preferred alignof type {})", self.type_name(name))
            }
            ExprKind::AlignofType(name) => format!("(alignof type {})", self.type_name(name)),
            ExprKind::StatementExpr(block) => format!("({})", self.block(block)),
            ExprKind::LabelAddress(label) => format!("(&& {})", self.name(label.name)),
            ExprKind::Generic { control, arms } => {
                let arms = join(arms, |(name, value)| {
                    let name = name
                        .as_ref()
                        .map_or("default".into(), |name| self.type_name(name));
                    format!("{name}:{}", self.expr(value))
                });
                format!("(generic {} {arms})", self.expr(control))
            }
            ExprKind::VaArg(list, name) => {
                format!("(va_arg {} {})", self.expr(list), self.type_name(name))
            }
            ExprKind::Offsetof(name, path) => {
                format!(
                    "(offsetof {} {})",
                    self.type_name(name),
                    self.designators(path)
                )
            }
            ExprKind::Imaginary(real) => format!("{}i", self.expr(real)),
            ExprKind::ConvertVector(value, name) => {
                format!(
                    "(convertvector {} {})",
                    self.expr(value),
                    self.type_name(name)
                )
            }
            ExprKind::TypesCompatible(first, second) => {
                format!(
                    "(compatible {} | {})",
                    self.type_name(first),
                    self.type_name(second)
                )
            }
            ExprKind::ChooseExpr(condition, then, otherwise) => format!(
                "(choose {} {} {})",
                self.expr(condition),
                self.expr(then),
                self.expr(otherwise)
            ),
        }
    }
}

fn quals_text(quals: Quals) -> String {
    let words = [
        (quals.is_const, "const"),
        (quals.is_volatile, "volatile"),
        (quals.is_restrict, "restrict"),
        (quals.is_atomic, "atomic"),
    ];
    join(words.iter().filter(|(on, _)| *on), |(_, word)| {
        (*word).into()
    })
}

fn width_text(width: CharWidth) -> &'static str {
    match width {
        CharWidth::Plain => "",
        CharWidth::Utf8 => "u8",
        CharWidth::Wide => "L",
        CharWidth::U16 => "u",
        CharWidth::U32 => "U",
    }
}
