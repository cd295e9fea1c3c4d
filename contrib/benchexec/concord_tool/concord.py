"""Tool-info module of Concord for BenchExec 3.3 and later."""

import re

import benchexec.result as result
import benchexec.tools.template

DATA_MODELS = {"ILP32": "ilp32", "LP64": "lp64"}

# Concord ends with exactly one such line, also after a limit or a crash of its own engines.
VERDICT = re.compile(r"^Verdict: (TRUE|FALSE|UNKNOWN)(?: \((.*)\))?\s*$")
# `  engine: what 12` among the statistics of `--verbose`.
STATISTIC = re.compile(r"^  [\w-]+: (.+) ([0-9.]+)\s*$")


class Tool(benchexec.tools.template.BaseTool2):
    """Concord: a verifier for C in which several analyses share what they find."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("concord")

    def name(self):
        return "Concord"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="concord")

    def cmdline(self, executable, options, task, rlimits):
        arguments = [executable, "check", *options]
        if task.property_file:
            arguments += ["--spec", task.property_file]
        if isinstance(task.options, dict) and task.options.get("language", "C") != "C":
            raise benchexec.tools.template.UnsupportedFeatureException(
                f"Concord verifies C, not {task.options['language']}"
            )
        data_model = task.options.get("data_model") if isinstance(task.options, dict) else None
        if data_model and "--data-model" not in options:
            if data_model not in DATA_MODELS:
                raise benchexec.tools.template.UnsupportedFeatureException(
                    f"Concord does not know the data model {data_model}"
                )
            arguments += ["--data-model", DATA_MODELS[data_model]]
        return arguments + list(task.input_files_or_identifier)

    def determine_result(self, run):
        verdict = None
        for line in run.output:
            match = VERDICT.match(line)
            if match:
                verdict = match
        if verdict is None or run.exit_code.signal:
            if any("memory allocation of" in line for line in run.output):
                return "OUT OF MEMORY"
            return result.RESULT_ERROR
        answer, detail = verdict.groups()
        if answer == "TRUE":
            return result.RESULT_TRUE_PROP
        if answer == "FALSE":
            return f"{result.RESULT_FALSE_PROP}({detail})" if detail else result.RESULT_FALSE_PROP
        # Without the reason: BenchExec counts any other text as an error.
        return result.RESULT_UNKNOWN

    def get_value_from_output(self, output, identifier):
        value = None
        for line in output:
            match = STATISTIC.match(line)
            if match and match.group(1) == identifier:
                value = match.group(2)
        return value
