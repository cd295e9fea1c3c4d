//! From declaration specifiers and declarators to types.

use super::attributes::Attributes;
use super::operand::Operand;
use super::scope::Binding;
use super::vla::Asked;
use super::{Checker, Outcome};
use crate::ast::{self, ArraySize, BasicType, DeclSpecs, Derived, Params, Storage, TypeSpec};
use crate::span::{Name, Span};
use crate::types::{ArrayLen, DataModel, FunctionType, Type, TypeId};

/// What the specifiers of a declaration say about everything that it declares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    pub(super) ty: TypeId,
    pub(super) attributes: Attributes,
    /// By `_Alignas`.
    pub(super) alignas: Option<u64>,
}

/// A parameter as a definition needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub(super) name: Option<Name>,
    /// After adjustment, with its qualifiers.
    pub(super) ty: TypeId,
    pub(super) span: Span,
    /// Offset behind its declarator.
    pub(super) end: u32,
}

impl Checker<'_> {
    /// `standalone`: the declaration declares nothing but a tag (`struct s;`).
    pub(super) fn base(&mut self, specs: &DeclSpecs, standalone: bool) -> Outcome<Base> {
        let mut ty = self.type_spec(specs, standalone)?;
        ty = self
            .program
            .types
            .qualified(ty, specs.quals.is_const, specs.quals.is_volatile);
        let attributes = if specs.attributes.is_empty() {
            Attributes::default()
        } else {
            self.attributes(&specs.attributes)?
        };
        if specs.quals.is_atomic {
            self.check_atomic_layout(ty, specs.span)?;
        }
        let mut alignas = None;
        for item in &specs.alignas {
            let align = match item {
                ast::AlignAs::Type(name) => {
                    let ty = self.type_name(name)?;
                    self.align_of(ty, name.span)?
                }
                ast::AlignAs::Expr(expr) => {
                    match self.integer_constant(expr, "'_Alignas' argument")? {
                        0 => continue,
                        value => self.alignment(value, expr.span)?,
                    }
                }
            };
            alignas = alignas.max(Some(align));
        }
        Ok(Base {
            ty,
            attributes,
            alignas,
        })
    }

    /// An atomic object of one thread is like any other, but gcc may give it another size or
    /// alignment.
    fn check_atomic_layout(&mut self, ty: TypeId, span: Span) -> Outcome<()> {
        let types = self.types();
        let same = types.size_of(ty).is_some() && types.align_of(ty) == types.size_of(ty);
        match same {
            true => Ok(()),
            false => self.unsupported(span, "an atomic object of this type"),
        }
    }

    fn type_spec(&mut self, specs: &DeclSpecs, standalone: bool) -> Outcome<TypeId> {
        Ok(match &specs.ty {
            TypeSpec::Basic(basic) => self.basic_type(*basic, specs.span)?,
            TypeSpec::Complex(part) => {
                let part = self.basic_type(*part, specs.span)?;
                self.complex_of(part)
            }
            TypeSpec::Typedef(name, span) => match self.scopes.find(*name) {
                Some(Binding::Typedef(ty)) => ty,
                None if let Some(ty) = self.predefined_type(*name) => ty,
                _ => {
                    let message = format!("unknown type name '{}'", self.text(*name));
                    return self.error(*span, message);
                }
            },
            TypeSpec::Record(record) => self.record_spec(record, standalone)?,
            TypeSpec::Enum(spec) => self.enum_spec(spec, standalone)?,
            TypeSpec::TypeofExpr(expr) => {
                let mark = self.pending_mark();
                let operand = self.unevaluated(|checker| checker.operand(expr))?;
                if operand.is_bit_field() {
                    return self.error(expr.span, "'typeof' applied to a bit-field");
                }
                if let Operand::Value(value) = &operand {
                    self.check_plain_type(value)?;
                }
                self.type_asked_for(expr, &operand, mark, Asked::Type)?
            }
            TypeSpec::TypeofType(name) => self.type_name(name)?,
            // The declarator's initialiser decides; whoever allows it asks for it beforehand.
            TypeSpec::Auto => {
                return self.error(specs.span, "'__auto_type' used outside of a definition");
            }
            TypeSpec::Missing => {
                self.warn(specs.span, "type defaults to 'int' in declaration");
                TypeId::INT
            }
        })
    }

    fn basic_type(&mut self, basic: BasicType, span: Span) -> Outcome<TypeId> {
        Ok(match basic {
            BasicType::Void => TypeId::VOID,
            BasicType::Bool => TypeId::BOOL,
            BasicType::Char => TypeId::CHAR,
            BasicType::SChar => TypeId::SCHAR,
            BasicType::UChar => TypeId::UCHAR,
            BasicType::Short => TypeId::SHORT,
            BasicType::UShort => TypeId::USHORT,
            BasicType::Int => TypeId::INT,
            BasicType::UInt => TypeId::UINT,
            BasicType::Long => TypeId::LONG,
            BasicType::ULong => TypeId::ULONG,
            BasicType::LongLong => TypeId::LONG_LONG,
            BasicType::ULongLong => TypeId::ULONG_LONG,
            BasicType::Int128 | BasicType::UInt128 if self.types().model == DataModel::Ilp32 => {
                return self.error(span, "'__int128' is not supported on this target");
            }
            BasicType::Int128 => TypeId::INT128,
            BasicType::UInt128 => TypeId::UINT128,
            BasicType::Float16 => TypeId::FLOAT16,
            BasicType::Float => TypeId::FLOAT,
            BasicType::Double => TypeId::DOUBLE,
            BasicType::LongDouble => TypeId::LONG_DOUBLE,
            BasicType::Float128 => TypeId::FLOAT128,
            BasicType::VaList => TypeId::VA_LIST,
        })
    }

    pub(super) fn type_name(&mut self, name: &ast::TypeName) -> Outcome<TypeId> {
        let base = self.base(&name.specs, false)?;
        let ty = self.declarator_type(&base, &name.declarator, &[])?;
        let attributes = self.declarator_attributes(&base, &name.declarator, &[])?;
        match attributes.aligned {
            None => Ok(ty),
            Some(align) if name.declarator.derived.is_empty() => {
                Ok(self.program.types.intern(Type::Aligned { base: ty, align }))
            }
            Some(_) => self.unsupported(name.span, "the attribute 'aligned' here"),
        }
    }

    /// The type that a declarator gives to its name. `more` are attributes from elsewhere in the
    /// declaration.
    pub(super) fn declarator_type(
        &mut self,
        base: &Base,
        declarator: &ast::Declarator,
        more: &[ast::Attribute],
    ) -> Outcome<TypeId> {
        let attributes = self.declarator_attributes(base, declarator, more)?;
        self.supported_on_type(&attributes)?;
        let ty = self.retyped(base.ty, &attributes, &declarator.derived, declarator.span)?;
        self.derive(ty, &declarator.derived, declarator.span)
    }

    pub(super) fn declarator_attributes(
        &mut self,
        base: &Base,
        declarator: &ast::Declarator,
        more: &[ast::Attribute],
    ) -> Outcome<Attributes> {
        let mut attributes = base.attributes;
        if !declarator.attributes.is_empty() {
            attributes = attributes.and(self.attributes(&declarator.attributes)?);
        }
        if !more.is_empty() {
            attributes = attributes.and(self.attributes(more)?);
        }
        Ok(attributes)
    }

    /// Applies the parts of a declarator, which are listed from the name outwards.
    pub(super) fn derive(
        &mut self,
        base: TypeId,
        derived: &[Derived],
        span: Span,
    ) -> Outcome<TypeId> {
        let mut ty = base;
        for part in derived.iter().rev() {
            ty = match part {
                Derived::Pointer(quals) => {
                    let pointer = self.program.types.pointer_to(ty);
                    self.program
                        .types
                        .qualified(pointer, quals.is_const, quals.is_volatile)
                }
                Derived::Array { size, .. } => self.array_type(ty, size, span)?,
                Derived::Function(params) => {
                    let params = self.prototype(params)?;
                    self.function_type(ty, params, span)?
                }
            };
        }
        Ok(ty)
    }

    pub(super) fn function_type(
        &mut self,
        result: TypeId,
        params: (Vec<TypeId>, bool, bool),
        span: Span,
    ) -> Outcome<TypeId> {
        match self.types().shape(result) {
            Type::Array { .. } => return self.error(span, "function returning an array"),
            Type::Function(_) => return self.error(span, "function returning a function"),
            _ => {}
        }
        let result = self.types().unqualified(result);
        let (params, variadic, prototyped) = params;
        Ok(self.program.types.intern(Type::Function(FunctionType {
            result,
            params,
            variadic,
            prototyped,
        })))
    }

    fn array_type(&mut self, element: TypeId, size: &ArraySize, span: Span) -> Outcome<TypeId> {
        match *self.types().shape(element) {
            Type::Function(_) => return self.error(span, "declaration of an array of functions"),
            Type::Void => return self.error(span, "declaration of an array of voids"),
            Type::Array {
                len: ArrayLen::Incomplete,
                ..
            } if self.in_prototype == 0 => {
                return self.error(span, "array type has incomplete element type");
            }
            Type::Record(id) if self.types().record(id).layout.is_none() => {
                let message = format!(
                    "array type has incomplete element type '{}'",
                    self.show(element)
                );
                return self.error(span, message);
            }
            _ => {}
        }
        if let Type::Aligned { align, .. } = *self.types().get(element)
            && self
                .types()
                .size_of(element)
                .is_some_and(|size| align > size)
        {
            return self.error(
                span,
                "alignment of array elements is greater than element size",
            );
        }
        let len = match size {
            ArraySize::Unknown | ArraySize::Star => ArrayLen::Incomplete,
            ArraySize::Expr(expr) => self.array_length(expr, element, span)?,
        };
        Ok(self.program.types.array_of(element, len))
    }

    /// The parameter types of a function that is only declared: their scope ends with the
    /// declarator.
    fn prototype(&mut self, params: &Params) -> Outcome<(Vec<TypeId>, bool, bool)> {
        match params {
            Params::Unspecified | Params::Names(_) => Ok((Vec::new(), false, false)),
            Params::Prototype { params, variadic } => {
                self.scopes.enter(Span::NONE, false);
                self.enter_prototype();
                let mut result = Ok(Vec::new());
                let params = self.real_params(params);
                let named = params.iter().any(mentions_others);
                for param in params {
                    let parameter = self.parameter(param);
                    match (&mut result, parameter) {
                        (Ok(list), Ok(parameter)) => {
                            list.push(self.program.types.unqualified(parameter.ty));
                            if named {
                                self.declare_prototype_parameter(&parameter);
                            }
                        }
                        (_, Err(reported)) => result = Err(reported),
                        (Err(_), _) => {}
                    }
                }
                self.leave_prototype();
                self.scopes.leave();
                Ok((result?, *variadic, true))
            }
        }
    }

    /// The parameters of a list; `(void)` has none.
    pub(super) fn real_params<'a>(&self, params: &'a [ast::Param]) -> &'a [ast::Param] {
        match params {
            [only]
                if only.declarator.name.is_none()
                    && only.declarator.derived.is_empty()
                    && self.is_void_spec(&only.specs.ty) =>
            {
                &[]
            }
            _ => params,
        }
    }

    fn is_void_spec(&self, spec: &TypeSpec) -> bool {
        match spec {
            TypeSpec::Basic(BasicType::Void) => true,
            TypeSpec::Typedef(name, _) => {
                self.scopes.find(*name) == Some(Binding::Typedef(TypeId::VOID))
            }
            _ => false,
        }
    }

    /// The adjusted type of a parameter (C11 6.7.6.3 paragraphs 7 and 8).
    pub(super) fn parameter(&mut self, param: &ast::Param) -> Outcome<Parameter> {
        if !matches!(param.specs.storage, Storage::None | Storage::Register) {
            return self.error(param.span, "storage class specified for parameter");
        }
        let base = self.base(&param.specs, false)?;
        let attributes = self.declarator_attributes(&base, &param.declarator, &[])?;
        self.supported_on_type(&attributes)?;
        let derived = &param.declarator.derived;
        let declared = self.retyped(base.ty, &attributes, derived, param.declarator.span)?;
        // The outermost length of an array parameter is never used.
        let ty = match param.declarator.derived.split_first() {
            Some((Derived::Array { size, quals, .. }, rest)) => {
                let element = self.derive(declared, rest, param.span)?;
                let checked = match size {
                    ArraySize::Expr(expr) => self.parameter_length(expr),
                    _ => Ok(()),
                };
                checked?;
                self.array_type(element, &ArraySize::Unknown, param.span)?;
                let pointer = self.program.types.pointer_to(element);
                self.program
                    .types
                    .qualified(pointer, quals.is_const, quals.is_volatile)
            }
            _ => self.derive(declared, &param.declarator.derived, param.span)?,
        };
        Ok(Parameter {
            name: param.declarator.name.as_ref().map(|ident| ident.name),
            ty: self.adjusted(ty),
            span: param
                .declarator
                .name
                .as_ref()
                .map_or(param.span, |ident| ident.span),
            end: param.declarator.span.hi.max(param.specs.span.hi),
        })
    }

    /// The type that a parameter declared so really has.
    pub(super) fn adjusted(&mut self, ty: TypeId) -> TypeId {
        match *self.types().shape(ty) {
            Type::Array { element, .. } => self.program.types.pointer_to(element),
            Type::Function(_) => self.program.types.pointer_to(ty),
            // On x86-64 the type is an array of one element.
            Type::VaList if self.types().model == DataModel::Lp64 => {
                self.program.types.pointer_to(TypeId::VA_LIST)
            }
            _ => ty,
        }
    }
}

/// Whether the type of a parameter may mention the name of another one.
fn mentions_others(param: &ast::Param) -> bool {
    matches!(param.specs.ty, TypeSpec::TypeofExpr(_))
        || param.declarator.derived.iter().any(|part| match part {
            Derived::Array {
                size: ArraySize::Expr(size),
                ..
            } => !matches!(size.kind, ast::ExprKind::Int { .. }),
            _ => false,
        })
}
