"""BenchExec's way to Concord; use it as the tool `concord_tool.concord` with this package's parent in PYTHONPATH."""
