"""What features cost a virtual drive that does not use them: its kernel against one from which they were cut.

Cut out: parameters that the benchmark's drive leaves at zero are zeros in the source, and the compiler drops what
hangs on them.
"""

import ast
import importlib.util
import inspect
import sys
from types import ModuleType

from benchmarks import bench_sim
from stend.sim import flash_clean, flash_kernel
from stend.sim import flash_state as k

UNUSED = {
    *("THROUGH", "RETRY", "BUSY", "SEGMENT", "SLC_PAGES", "SLC_FOLD", "SPREAD", "BEHIND", "ONE_WAY"),
    *("T_TURN", "T_PAGE_READ", "T_PAGE_WRITE", "T_PARTIAL", "T_MOVE", "T_JITTER_READ", "T_JITTER_WRITE"),
}
MOST = 1.1
TURNS = 5


class Cut(ast.NodeTransformer):
    """`p[k.NAME]` and `f.parameters[k.NAME]` of an unused feature are 0; so is every superblock's `f.slc`."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Replace the read of an unused parameter."""
        self.generic_visit(node)
        of = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
        name = node.slice.attr if isinstance(node.slice, ast.Attribute) else ""
        unused = (of in ("p", "parameters") and name in UNUSED) or of == "slc"
        return ast.Constant(0) if unused and isinstance(node.ctx, ast.Load) else node


def lean(module: ModuleType, name: str) -> ModuleType:
    """The module compiled anew without the unused features."""
    spec = importlib.util.spec_from_loader(name, None)
    assert spec
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    source = inspect.getsource(module).replace("stend.sim.flash_clean", "lean_flash_clean")
    tree = ast.fix_missing_locations(Cut().visit(ast.parse(source)))
    exec(compile(tree, f"{name}.py", "exec"), made.__dict__)
    return made


def main() -> None:
    """Print the ratio of the best, both kernels in turn."""
    drive = bench_sim.steady(28)
    parameters = drive.memory.parameters
    for name in UNUSED:
        assert not parameters[getattr(k, name)], f"{name} is used by the benchmark's drive"
    lean(flash_clean, "lean_flash_clean")
    kernels = {"whole": flash_kernel.serve, "lean": lean(flash_kernel, "lean_flash_kernel").serve}
    best = dict.fromkeys(kernels, 0.0)
    for _ in range(TURNS):
        for kind, serve in kernels.items():
            flash_kernel.serve = serve
            best[kind] = max(best[kind], bench_sim.timed(28))
    flash_kernel.serve = kernels["whole"]
    ratio = best["lean"] / best["whole"]
    rates = f"{best['lean']:7.1f} M IO/s, with them {best['whole']:.1f}"
    print(f"without unused features     {rates}: {ratio:.3f} times (at most {MOST})")


if __name__ == "__main__":
    main()
