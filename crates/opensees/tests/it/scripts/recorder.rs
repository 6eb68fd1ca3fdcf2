//! Scripts of Python, run by Python with the recorder: what is recorded, with which lines, and what
//! ends a script that does not end.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tandem_opensees::model::ElementKind;
use tandem_opensees::script::Weight;
use tandem_opensees::{ImportError, Imported, Options, emit, read};
use tandem_test_support::python;

use super::{missing, places, tcl};

const HEAD: &str = "import openseespy.opensees as ops\nops.model('basic', '-ndm', 2, '-ndf', 3)\n";

/// Reads a script that stands in a folder.
fn read_at(script: &Path, model: Option<usize>) -> Result<Imported, ImportError> {
    let options = Options {
        python: std::env::var_os("TANDEM_PYTHON").map(PathBuf::from),
        model,
        ..Options::default()
    };
    read(script, &options)
}

/// Files by their names, the first of them the script.
fn read_files(files: &[(&str, &str)]) -> Imported {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    read_at(&folder.path().join(files[0].0), None).unwrap()
}

fn run(text: &str) -> Imported {
    read_files(&[("model.py", text)])
}

/// A script after the usual two lines, which are left out of the count.
fn lines_after_head(text: &str) -> (Imported, Vec<(usize, String)>) {
    let imported = run(&format!("{HEAD}{text}"));
    let listed = missing(&imported);
    (
        imported,
        listed
            .into_iter()
            .map(|(line, why)| (line - 2, why))
            .collect(),
    )
}

#[test]
fn arguments_are_laid_out_as_openseespy_takes_them() {
    let Some(_) = python(&["numpy"]) else { return };
    let imported = run(r#"
import openseespy.opensees as ops
import numpy as np
from openseespy.opensees import node as place
ops.model('basic', '-ndm', 2, '-ndf', 3)
for tag, x in enumerate([3.0 * i for i in range(3)], 1):
    ops.node(tag, x, 0.0)
place(10, *(7 // 2, 0))
ops.node(11, *np.array([5.5, 0.5]))
ops.node(np.int64(12), [np.float32(1.5), 2])
ops.mass(12, *([2] * 2), 0.0); ops.fix(12, True, 1, False)
class Story:
    def __init__(self, tag):
        self.tag = tag
    def build(self):
        with open('height.txt', 'w') as file:
            file.write('4.5')
        ops.node(self.tag, float(open('height.txt').read()), 0)
Story(20).build()
ops.node(21, ops.nodeCoord(20)[0] + ops.nodeCoord(20, 1) + len(ops.getNodeTags()), 0)
ops.node(22, ops.nodeBounds()[3], sum(ops.nodeMass(12)))
"#);
    assert_eq!(missing(&imported), vec![]);
    let expected = [
        (1, 0.0),
        (2, 3.0),
        (3, 6.0),
        (10, 3.0),
        (11, 5.5),
        (12, 1.5),
        (20, 4.5),
        (21, 16.0),
        (22, 16.0),
    ];
    assert_eq!(places(&imported), expected);
    let node = &imported.model.nodes[&12];
    assert_eq!(node.mass, [2.0, 2.0, 0.0]);
    assert_eq!(node.fixed, [true, true, false]);
    assert_eq!(imported.model.nodes[&22].at[1], 4.0);
}

#[test]
fn the_module_goes_by_all_its_names() {
    let Some(_) = python(&[]) else { return };
    for import in [
        "import openseespy.opensees as ops",
        "from openseespy import opensees as ops",
        "from openseespy.opensees import *\nclass ops: node, model = node, model",
        "import opensees as ops",
        "import opensees.openseespy as ops",
        "import opensees.openseespy\nops = opensees.openseespy.Model()",
        "import xara\nops = xara.Model('basic', ndm=2, ndf=3)",
    ] {
        let imported = run(&format!(
            "{import}\nops.model('basic', '-ndm', 2, '-ndf', 3)\nops.node(1, 2.5, (0.0,))\n"
        ));
        assert_eq!(places(&imported), [(1, 2.5)], "{import}");
    }
}

#[test]
fn lines_are_those_of_the_script() {
    let Some(_) = python(&[]) else { return };
    let imported = read_files(&[
        (
            "model.py",
            "import openseespy.opensees as ops
import parts.floor as floor
ops.model('basic', '-ndm', 2, '-ndf', 3)
def column(tag):
    ops.node(tag, 0, 0)
    ops.frobnicate(
        tag,
        1)
for i in range(3):
    column(i)
    ops.grumble(i)
floor.add(ops)
exec('ops.mutter(1)')
list(map(lambda x: ops.whisper(x), [1]))
",
        ),
        (
            "parts/floor.py",
            "def add(ops):\n\n    ops.murmur(1)\n    return 1 / 0\n",
        ),
    ]);
    let listed: Vec<(String, String, usize)> = imported
        .remarks(Weight::Missing)
        .map(|r| (imported.place(r.place), r.command.clone(), r.times))
        .collect();
    let expected = [
        ("model.py:6", "ops.frobnicate(", 3),
        ("model.py:11", "ops.grumble(i)", 3),
        ("parts/floor.py:3", "ops.murmur(1)", 1),
        ("parts/floor.py:4", "the rest of the script", 1),
    ];
    let expected = expected.map(|(place, line, n)| (place.to_owned(), line.to_owned(), n));
    assert_eq!(listed, expected);
    let why = &missing(&imported)[3].1;
    assert!(why.contains("ZeroDivisionError"), "{why}");
    assert_eq!(imported.model.nodes.len(), 3);
}

#[test]
fn what_was_recorded_before_an_error_is_kept() {
    let Some(_) = python(&[]) else { return };
    for (text, line, word) in [
        (
            "ops.node(1, 0, 0)\nx = [1][7]\nops.node(2, 0, 0)",
            2,
            "IndexError",
        ),
        (
            "ops.node(1, 0, 0)\nimport no_such_module",
            2,
            "it is missing in",
        ),
        (
            "ops.node(1, 0, 0)\nimport os\nos._exit(0)",
            1,
            "ended its process",
        ),
        (
            "ops.node(1, 0, 0)\nimport os\nos.closerange(3, 200)\nops.node(2, 0, 0)",
            1,
            "ended its process, or closed",
        ),
        (
            "ops.node(1, 0, 0)\nimport ctypes\nctypes.string_at(0)",
            1,
            "ended by signal 11",
        ),
        (
            "ops.node(1, 0, 0)\nops.recorder('Node', '-file', 'out.txt', '-node', 1)\n\
            open('out.txt')",
            3,
            "an analysis would have written it",
        ),
        ("ops.node(1, 0, 0)\ninput('how many? ')", 2, "EOFError"),
    ] {
        let (imported, listed) = lines_after_head(text);
        assert_eq!(listed.len(), 1, "{text}: {listed:?}");
        assert_eq!(listed[0].0, line, "{text}: {listed:?}");
        assert!(listed[0].1.contains(word), "{text}: {listed:?}");
        assert_eq!(imported.model.nodes.len(), 1, "{text}");
    }
    let broken = run("import openseespy.opensees as ops\nops.node(1, 0\n");
    assert!(missing(&broken)[0].1.contains("SyntaxError"));
    // An end that the script means is none to tell of.
    let (imported, listed) = lines_after_head("ops.node(1, 0, 0)\nraise SystemExit(1)");
    assert_eq!((listed, imported.model.nodes.len()), (vec![], 1));
}

#[test]
fn results_are_not_taken_for_numbers() {
    let Some(_) = python(&["numpy"]) else { return };
    let (imported, listed) = lines_after_head(
        "import numpy as np
ops.node(1, 0, 0)
drift = ops.nodeDisp(1, 1)
ops.node(2, 2 * drift + 1, 0)
ops.node(3, *np.sqrt([drift, 4.0]))
if drift > 0.1 or not drift != 3:
    ops.node(4, 0, 0)
a, b, c = ops.nodeReaction(1)
ops.node(5, float(f'{drift}' == 'nan'), 0)
ops.node(6, {'x': 1}, 0)
ops.node(7, ops.eigen(1)[0], 0)
",
    );
    let lines: Vec<usize> = listed.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [4, 5, 10, 11, 11], "{listed:?}");
    assert!(listed[0].1.contains("depends on a result"), "{listed:?}");
    assert!(listed[2].1.contains("neither number"), "{listed:?}");
    assert_eq!(places(&imported), [(1, 0.0), (5, 1.0)]);
    let assumed: Vec<usize> = imported
        .remarks(Weight::Assumed)
        .map(|remark| remark.place.line - 2)
        .collect();
    assert_eq!(assumed, [6]);
}

#[test]
fn plots_are_left_out() {
    let Some(_) = python(&[]) else { return };
    let (imported, listed) = lines_after_head(
        "import matplotlib.pyplot as plt
from mpl_toolkits.mplot3d import Axes3D
import opsvis as opsv
fig, axes = plt.subplots(2, 1, figsize=(8, 6))
axes[0].plot([1, 2], [3, 4], label=f'{fig}'); n, bins, patches = plt.hist([1])
with plt.style.context('dark'):
    for line in axes[1].lines:
        ops.node(9, 0, 0)
opsv.plot_model()
plt.show()
fibres = [['section', 'Fiber', 1], ['patch', 'rect', 1, 2, 1, -1.0, -1.0, 1.0, 1.0]]
ops.uniaxialMaterial('Elastic', 1, 5.0)
opsv.fib_sec_list_to_cmds(fibres)
ops.node(1, plt.gca(), 0)
",
    );
    assert_eq!(imported.model.sections.len(), 1);
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert!(listed[0].1.contains("module of plots"), "{listed:?}");
    assert!(imported.remarks(Weight::Ignored).count() >= 3);
}

#[test]
fn scripts_without_end_are_ended() {
    let Some(_) = python(&[]) else { return };
    for (text, line, word) in [
        (
            "i = 0\nwhile True:\n    i += 1\n    ops.node(i, 0, 0)",
            4,
            "more than 100000 commands",
        ),
        (
            "ops.node(1, 0, 0)\nops.integrator('LoadControl', 1.0)\n\
            while ops.analyze(1) == 0:\n    pass",
            3,
            "goes on for more than 100000",
        ),
        (
            "ops.node(1, 0, 0)\nx = [1.0]\nx = x * 10 ** 10",
            3,
            "MemoryError",
        ),
        (
            "ops.node(1, 0, 0)\nimport os\nos.fork()",
            3,
            "no other program",
        ),
        (
            "ops.node(1, 0, 0)\nimport os\nos.system('ls')",
            3,
            "no other program",
        ),
        (
            "ops.node(1, 0, 0)\nimport os\nos.kill(os.getppid(), 9)",
            3,
            "no other program",
        ),
        (
            "ops.node(1, 0, 0)\nimport subprocess\nsubprocess.Popen(['sleep', '100'])",
            3,
            "no other program",
        ),
        (
            "ops.node(1, 0, 0)\nimport socket\nsocket.create_connection(('127.0.0.1', 9))",
            3,
            "no other program",
        ),
        (
            "ops.node(1, 0, 0)\nopen('/tmp/elsewhere.txt', 'w')",
            2,
            "within its folder only",
        ),
        ("ops.node(1, 0, 0)\ndef f(): f()\nf()", 2, "RecursionError"),
        (
            "ops.node(1, 0, 0)\na = []\na.append(a)\nops.node(2, a)\n",
            4,
            "beyond all bounds",
        ),
    ] {
        let since = Instant::now();
        let (imported, listed) = lines_after_head(text);
        let told: Vec<_> = listed.iter().filter(|(own, _)| *own == line).collect();
        assert!(
            told.iter().any(|(_, why)| why.contains(word)),
            "{text}: {listed:?}"
        );
        assert!(!imported.model.nodes.is_empty());
        assert!(since.elapsed() < Duration::from_secs(59), "{text}");
    }
}

#[test]
fn an_endless_loop_is_ended_by_the_clock() {
    let Some(_) = python(&[]) else { return };
    // It sleeps, so that the limit of its computing time does not end it first.
    let since = Instant::now();
    let (imported, listed) = lines_after_head(
        "ops.node(1, 0, 0)\nimport time\nwhile True:\n    try:\n        time.sleep(1000)\n    \
        except BaseException:\n        pass",
    );
    assert!(since.elapsed() < Duration::from_secs(90));
    assert!(
        listed[0].1.contains("more than 60 s and was ended"),
        "{listed:?}"
    );
    assert_eq!(imported.model.nodes.len(), 1);
}

/// Every file of a folder with what it holds.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(content(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn the_folder_is_as_it_was() {
    let Some(_) = python(&[]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("model.py");
    fs::create_dir(folder.path().join("motions")).unwrap();
    fs::write(folder.path().join("motions/g.txt"), "0.0\n1.0\n").unwrap();
    fs::write(folder.path().join("helper.py"), "x = 2.0\n").unwrap();
    let text = format!(
        "{HEAD}import os, shutil, helper
here = os.path.dirname(os.path.abspath(__file__))
ops.node(1, helper.x, 0)
ops.node(2, 0, 0, '-mass', 1.0, 1.0, 0.0)
ops.fix(1, 1, 1, 1)
ops.geomTransf('Linear', 1)
ops.element('elasticBeamColumn', 1, 1, 2, 1.0, 1e9, 1.0, 1)
values = [float(line) for line in open('motions/g.txt')]
os.mkdir('out')
with open('out/g.out', 'w') as file:
    file.write('\\n'.join(str(2 * v) for v in values))
os.remove(os.path.join(here, 'helper.py'))
shutil.rmtree('motions')
os.chdir('out')
ops.timeSeries('Path', 1, '-dt', 0.01, '-filePath', 'g.out', '-factor', 1.0)
ops.pattern('UniformExcitation', 1, 1, '-accel', 1)
try:
    open('{}', 'a')
except PermissionError:
    ops.node(3, 7.0, 0)
",
        script.display()
    );
    fs::write(&script, text).unwrap();
    let before = content(folder.path());
    let mut imported = read_at(&script, None).unwrap();
    assert_eq!(content(folder.path()), before);
    assert_eq!(missing(&imported), vec![]);
    assert_eq!(imported.model.nodes.len(), 3);
    // What it has made comes beside the plan: the copy does not stay.
    let written = emit::plan(&mut imported, Some(&folder.path().join("plan.toml")));
    let (name, motion) = written.motion.unwrap();
    assert_eq!(
        (name.as_str(), motion.as_str()),
        ("plan-motion.txt", "0.0\n2.0")
    );
}

#[test]
fn models_stand_apart() {
    let Some(_) = python(&[]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("model.py");
    let text = "import opensees.openseespy as ops
one = ops.Model(ndm=1, ndf=1)
two = ops.Model(ndm=1, ndf=1)
for model, x in ((one, 1.0), (two, 2.0)):
    model.node(1, 0.0)
    model.node(2, x)
one.element('none of ours', 1)
one.analyze(1)
two.node(3, 9.0)
";
    fs::write(&script, text).unwrap();
    let first = read_at(&script, None).unwrap();
    assert_eq!(places(&first), [(1, 0.0), (2, 1.0)]);
    assert_eq!(missing(&first)[0].0, 7);
    let second = read_at(&script, Some(2)).unwrap();
    assert_eq!(places(&second), [(1, 0.0), (2, 2.0), (3, 9.0)]);
    assert_eq!(missing(&second), vec![]);
}

#[test]
fn elements_of_both_languages_are_the_same() {
    let Some(_) = python(&[]) else { return };
    let script = "model basic -ndm 2 -ndf 3
node 1 0 0
node 2 0 3
geomTransf PDelta 5
uniaxialMaterial Steel02 1 355e6 2.1e11 0.01 18.5 0.925 0.15
section Fiber 1 {
 patch rect 1 10 1 -0.1 -0.05 0.1 0.05
 layer straight 1 3 2e-4 -0.08 0.0 0.08 0.0
}
element forceBeamColumn 7 1 2 5 1 5 -mass 30.0
";
    let by_tcl = tcl(script);
    let by_python = run("from openseespy.opensees import *
model('basic', '-ndm', 2, '-ndf', 3)
node(1, 0, 0); node(2, 0, 3)
geomTransf('PDelta', 5)
uniaxialMaterial('Steel02', 1, 355e6, 2.1e11, 0.01, 18.5, 0.925, 0.15)
section('Fiber', 1)
patch('rect', 1, 10, 1, -0.1, -0.05, 0.1, 0.05)
layer('straight', 1, 3, 2e-4, -0.08, 0.0, 0.08, 0.0)
beamIntegration('Lobatto', 3, 1, 5)
element('forceBeamColumn', 7, 1, 2, 5, 3, '-mass', 30.0)
");
    assert_eq!(missing(&by_tcl), vec![]);
    assert_eq!(missing(&by_python), vec![]);
    assert_eq!(
        by_tcl.model.elements[&7].kind,
        by_python.model.elements[&7].kind
    );
    assert_eq!(by_tcl.model.sections[&1].0, by_python.model.sections[&1].0);
    assert_eq!(
        by_tcl.model.materials[&1].0,
        by_python.model.materials[&1].0
    );
    assert!(matches!(
        by_tcl.model.elements[&7].kind,
        ElementKind::Fibres {
            force_based: true,
            ..
        }
    ));
}

#[test]
fn columns_of_a_file_are_read() {
    let Some(_) = python(&["numpy"]) else { return };
    let imported = read_files(&[
        (
            "model.py",
            "import openseespy.opensees as ops, numpy as np
ops.model('basic', '-ndm', 2, '-ndf', 3)
for tag, x in np.loadtxt('nodes.txt'):
    ops.node(int(tag), x, 0.0)
",
        ),
        ("nodes.txt", "# tag x\n1 0.0\n2 3.5\n"),
    ]);
    assert_eq!(missing(&imported), vec![]);
    assert_eq!(places(&imported), [(1, 0.0), (2, 3.5)]);
}
