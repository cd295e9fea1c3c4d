/* Names of other tools that fill memory with any bytes. */

static void __concord_model___VERIFIER_nondet_memory(void *target, unsigned long size)
{
    __concord_model___concord_any_bytes(target, size);
}

static void __concord_model_klee_make_symbolic(void *target, unsigned long size, const char *name)
{
    __concord_model___concord_any_bytes(target, size);
}

static void __concord_model___CPROVER_havoc_object(void *target)
{
    char *start = (char *)target - __CPROVER_POINTER_OFFSET(target);
    __concord_model___concord_any_bytes(start, __CPROVER_OBJECT_SIZE(target));
}

static void __concord_model___CPROVER_havoc_slice(void *target, unsigned long size)
{
    __concord_model___concord_any_bytes(target, size);
}
