"""`anonymise`: what is gone, what stays, and what the command writes."""

import gzip
import importlib
import json
import re
from pathlib import Path

import pytest
from anonymised import Renaming, anonymised, left_over, text_of, told
from logtext import HEADER, classic, detailed, exported, text
from paths import FIXTURES, fixture_logs
from program import Program
from sample_lines import PATTERNS

import engine_layer_visualize as elv
from engine_layer_visualize.commands.cli import main

# Cut, no text, or with rows of JSON, which it leaves out.
UNREAD = ("picture", "utf16-no-bom", "gzip-cut", "gzip-no-trailer", "times-in-json-behind-it")
LOGS = [path for path in fixture_logs() if path.stem.split(".")[0] not in UNREAD]


# ---- what stays ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("path", LOGS, ids=lambda path: str(path.name))
def test_a_log_and_its_profiles_say_the_same(path: Path, tmp_path: Path) -> None:
    stem = path.name.partition(".log")[0].removesuffix(".json")
    profiles = sorted(path.parent.glob(f"{stem}.*profile.*"))
    files = [path, *profiles]
    others = anonymised(files, tmp_path)
    assert list(Renaming().differences(told(files), told(others)))[:5] == []
    assert left_over(path, others[0]) == set()
    (tmp_path / "again").mkdir()
    again = anonymised(others, tmp_path / "again")
    assert [file.read_bytes() for file in again] == [file.read_bytes() for file in others]


# What stands before a line that is read only there.
ABOVE = {"trtexec": "[I] === Performance summary ===", "scanner": "=== Profile (3 iterations ) ==="}
PARTS = ("_OLD_RUNNER", "_OPERATOR", "SHAPES")  # they match a part of a line


@pytest.mark.parametrize(
    ("module", "name", "samples"),
    # A notebook's own lines are not those of the log in it.
    [one for one in PATTERNS if one[1] not in PARTS and not one[0].endswith(".envelopes")],
    ids=lambda value: str(value)[-40:],
)
def test_every_line_that_is_read_stays(module: str, name: str, samples: list[str]) -> None:
    """A new pattern of the reader needs its words in `reading/messages.txt`."""
    pattern = getattr(importlib.import_module(module), name)
    before = ABOVE.get(module.rpartition(".")[2], "[V] [TRT] x")
    for sample in samples:
        (other,) = text_of(f"{before}\n{sample}\n")
        line = other.split("\n")[1]
        found = pattern.search(line if isinstance(pattern.pattern, str) else line.encode())
        assert found is not None, f"{sample} became {line}"


def test_the_ranges_of_inputs_stay(tmp_path: Path) -> None:
    path = FIXTURES / "detailed" / "rtx-io-tensors.log"
    (other,) = anonymised([path], tmp_path)
    before, after = (elv.read(one).engines[0].ranges for one in (path, other))
    assert before and [one.profiles for one in before] == [one.profiles for one in after]


# Below a title the lines of a text; behind each that changes stands, after `> `, what it becomes.
RENAMED = """
# scopes, operators and numbers stay
[V] [TRT] Engine Layer Information:
Layer(Conv): /enc/layer.0/att/Mul + /enc/layer.0/att/Add_12, Tactic: 7, a (Half[1]) -> h (Half[1])
> Layer(Conv): /nA/layer.0/nB/Mul + /nA/layer.0/nB/Add_12, Tactic: 7, nC (Half[1]) -> nD (Half[1])
Layer(Conv): /enc/layer.1/att/Mul + /enc/layer.1/att/Add_13, Tactic: 7, h (Half[1]) -> o (Half[1])
> Layer(Conv): /nA/layer.1/nB/Mul + /nA/layer.1/nB/Add_13, Tactic: 7, nD (Half[1]) -> nE (Half[1])
PWN(PWN(Sigmoid_4, conv1), {ForeignNode[a...top/Softmax]}): 0.2ms
> PWN(PWN(Sigmoid_4, nF1), {ForeignNode[nC...nG/Softmax]}): 0.2ms
Reformatting CopyNode for Input Tensor 0 to top [profile 1]: 0.3ms
> Reformatting CopyNode for Input Tensor 0 to nG [profile 1]: 0.3ms
[V] [TRT] Removing z_myl3
> [V] [TRT] Removing nH_myl3
# types in names by torch2trt stay, and what looks like one does not
[MATRIX_MULTIPLY #1] torch.ledger(Acme(3)) + [RELU #2] torch.wallet(): 0.25ms
> [MATRIX_MULTIPLY #1] torch.nA(nB(3)) + [RELU #2] torch.nC(): 0.25ms
[WALLET #1] torch.ledger(): 0.5ms
> [NND #1] torch.nA(): 0.5ms
# kernels of NVIDIA stay, and others do not
[V] [TRT] Tactic Name: sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x64x32 Tactic: 0x7 Time: 1
[V] [TRT] Tactic Name: trt_turing_h1688cudnn_128x128_ldg8_relu_exp_medium_nhwc_tn_v1
[V] [TRT] Tactic Name: acme_fast_kernel Tactic: 0x8 Time: 1
> [V] [TRT] Tactic Name: nA_nB_nC Tactic: 0x8 Time: 1
# what stays in PyTorch is gone
Node: torch.ops.acme.wallet.default, with layer location: /reef/acme
> [line removed]
TRT Engine #1 - Submodule name: ledger_0
> [line removed]
# an input is named alike in options and listing though it bears a known word
[I] === Build Options ===
[I] Input build shape (profile 0): x=1x4+2x4+8x4
> [I] Input build shape (profile 0): nA=1x4+2x4+8x4
[I] Input calibration shapes: model
[I] === Inference Options ===
[I] Input inference shape : x=2x4
> [I] Input inference shape : nA=2x4
[V] [TRT] Engine Layer Information:
Layer(Conv): a, Tactic: 0x7, x (Half[1,8]) -> ledger (Half[1,8])
> Layer(Conv): nB, Tactic: 0x7, nA (Half[1,8]) -> nC (Half[1,8])
# what an extent in a format stands for is told as before
[V] [TRT] *** Autotuning format combination: Float(E0) -> Half(E0) where E0=(# 1 (SHAPE wallet)) ***
> [V] [TRT] *** Autotuning format combination: Float(E0) -> Half(E0) where E0=(# 1 (NNA nB)) ***
[V] [TRT] *** Autotuning format combination: Float(4,1) -> Half(4,1) ***
# the files of tensors get new names, and losses go
[I] === Inference Options ===
[I] RefOutputs: wallet:/home/mueller/acme.bin,/head/ledger:x.npy
> [I] RefOutputs: pA/pB/pC/pD.bin,/pE/pF
[I] Accuracy loss for tensor /head/ledger (wallet) (L0): 0.01 [PASS: < threshold 0.5]
> [I] [line removed]
# ranges of nsys get the names of their layers
NVTX Range,NVTX Inst,Kern Inst,Total Time (ns),Kernel Name
TensorRT:acme/conv1,10,20,5000,"acme<int, 2>"
> TensorRT:nA/nB1,10,20,5000,"nA<int, 2>"
TensorRT:ExecutionContext::enqueue,1,1,9,k
> TensorRT:ExecutionContext::enqueue,1,1,9,nC
# a folder of a command gets no extension
&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --exportOutput=log/json/x.log
> &&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --exportOutput=pA/pB/pC.log
# a host goes though it is named like a layer
[V] [TRT] Original: 4 layers
(output-model weights) [V] [TRT] Original: 3 layers
> (nA-nB nC) [V] [TRT] Original: 3 layers
# the name of a device in a list stays
[I] === Device Information ===
[I]   Device 0: "NVIDIA RTX 5000 Ada GPU" UUID: 7e0c41d2-93ab-4f6e-b5d8-0cafe1234567
> [I]   Device 0: "NVIDIA RTX 5000 Ada GPU" UUID: 00000000-0000-0000-0000-000000000000
# what looks like a place stays
[W] [TRT] I/O of a Q/DQ layer, i.e. 3.5 GiB/s, and/or 1/2; Quantize/Dequantize layers
"""


@pytest.mark.parametrize("case", RENAMED.strip("# \n").split("\n# "))
def test_what_a_text_becomes(case: str) -> None:
    _, _, lines = f"{case}\n".partition("\n")
    given, becomes = (re.sub(part, "", lines, flags=re.M) for part in ("^> .*\n", "^.*\n> "))
    assert text_of(given) == [becomes]


def test_operations_of_pytorch_stay_and_those_of_others_do_not() -> None:
    own = detailed("[CUMSUM]-[aten_ops.cumsum.default]-[/reef/ledger]", "x", "y")
    others = detailed("[CUMSUM]-[acme_ops.wallet.default]-[/reef/acme]", "y", "z")
    (other,) = text_of(HEADER + own + others)
    assert "-[aten_ops.cumsum.default]-[" in other
    assert not any(word in other for word in ("ledger", "acme", "wallet"))


# ---- what is gone --------------------------------------------------------------------------------

SECRETS = (
    *("mueller", "acme", "10.11.12.13", "192.168.77.5", "buildhost7", "hunter2", "s3cr3t"),
    *("fraudnet", "customer_x", "wallet", "GPU-5c9f", "0324617044444", "2026-03-24", "17:28:39"),
    *("example.org", "ledger", "Zahlung", "платёж", "containerd9", "myplugin"),
)
LEAKY = text(
    "mueller@buildhost7:~/acme$ export TOKEN=hunter2 HOST=10.11.12.13",
    "Downloading https://example.org/acme/fraudnet.onnx?key=s3cr3t",
    "mail: mueller@example.org, phone 0324617044444",
    "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # /home/mueller/trtexec"
    " --onnx=/home/mueller/acme/fraudnet.onnx --fp16 --shapes=wallet:1x3"
    " --loadInputs=wallet:/data/customer_x.bin --plugins=libmyplugin.so"
    " --saveEngine=//192.168.77.5/acme/fraudnet.plan",
    "[2026-03-24-17:28:39] mueller started",
    "[03/24/2026-17:28:39] [I] === Model Options ===",
    "[03/24/2026-17:28:39] [I] Model: /home/mueller/acme/fraudnet.onnx",
    "[03/24/2026-17:28:39] [I] === Build Options ===",
    "[03/24/2026-17:28:39] [I] Precision: FP32+FP16",
    "[03/24/2026-17:28:39] [I] Save engine: \\\\192.168.77.5\\acme\\fraudnet.plan",
    "[03/24/2026-17:28:39] [I] Input build shape: wallet=1x3+1x3+1x3",
    "[03/24/2026-17:28:39] [I] Project ledger: s3cr3t",
    "[03/24/2026-17:28:39] [I] === Device Information ===",
    "[03/24/2026-17:28:39] [I] Selected Device: NVIDIA A30",
    "[03/24/2026-17:28:39] [I] Selected Device UUID: GPU-5c9f-0324617044444",
    "[03/24/2026-17:28:39] [V] [TRT] Input filename: /home/mueller/acme/fraudnet.onnx",
    "[03/24/2026-17:28:39] [V] [TRT] Producer name: acme",
    "[03/24/2026-17:28:39] [V] [TRT] Adding network input: wallet with dtype: float32, "
    "dimensions: (1, 3)",
    "[03/24/2026-17:28:39] [V] [TRT] Loaded 3 bytes of timing cache from /mueller/t.cache",
    "[03/24/2026-17:28:39] [W] [TRT] cannot open /home/mueller/acme on 10.11.12.13",
    "[03/24/2026-17:28:39] [E] [TRT] conversion on 192.168.77.5.",
    "[03/24/2026-17:28:39] [E] [TRT] no answer of host_10.11.12.13",
    "[03/24/2026-17:28:39] [V] [TRT] Tactic: fraudnet Time: mueller",
    "[03/24/2026-17:28:39] [V] [TRT] a: Tactic: /acme?key=s3cr3t Time: mueller",
    "[03/24/2026-17:28:39] [E] [TRT] Error Code 1: node customer_x/ledger (Zahlung платёж)",
    "[03/24/2026-17:28:39] [V] [TRT] Loading /home/mueller/libnvinfer_builder.so.10.1.0",
    "[03/24/2026-17:28:39] [V] [TRT] Engine Layer Information:",
    classic("customer_x/Conv_1 + ledger.weight", "wallet", "Zahlung"),
    "myplugin: called by mueller 0324617044444",
    classic("платёж", "Zahlung", "y", kind="PluginV2"),
    "",
    "[03/24/2026-17:28:39] [I] user mueller, host buildhost7",
)


HOSTS = ("2026-03-24T17:28:39.123Z containerd9 mueller | ", "Mar 24 17:28:39 buildhost7 acme[77]: ")


@pytest.mark.parametrize("host", ("", *HOSTS))
def test_nothing_of_its_author_is_left(host: str) -> None:
    (other,) = text_of("".join(f"{host}{line}\n" for line in LEAKY.split("\n")))
    assert [secret for secret in SECRETS if secret.lower() in other.lower()] == []
    assert "Conv_1 + n" in other and "NVIDIA A30" in other and "libnvinfer_builder" in other


def test_names_in_json_are_gone() -> None:
    def tensor(name: str, words: str) -> object:
        return {"Name": name, "Dimensions": [1, 3], "Format/Datatype": words}

    layer = {
        "Name": "customer_x/Conv_1",
        "LayerType": "CaskConvolution",
        "Inputs": [tensor("wallet", "Row major linear FP32")],
        "Outputs": [tensor("платёж", "Half")],
        "TacticName": "acme_kernel",
        "Metadata": "[ONNX Layer: ledger/Conv]\x1e[ONNX Layer: Zahlung]",
        "mueller": "hunter2",
    }
    for escaped in (True, False):
        listing = {"Layers": [layer], "Bindings": ["wallet", "платёж"]}
        (other,) = text_of(json.dumps(listing, ensure_ascii=escaped))
        found = json.loads(other)
        shown = json.dumps(found, ensure_ascii=False)
        assert [secret for secret in SECRETS if secret in shown] == []
        (same,) = found["Layers"]
        assert same["LayerType"] == "CaskConvolution"
        assert same["Inputs"][0]["Format/Datatype"] == "Row major linear FP32"
        assert same["Outputs"][0]["Name"] == found["Bindings"][1]


def test_a_cut_json_keeps_no_name() -> None:
    inputs = '"LayerType": "Conv", "Inputs": [{"Name": "wal'
    (other,) = text_of(f'{{"Layers": [{{"Name": "customer_x/Conv_1", {inputs}')
    assert "customer" not in other and "wal" not in other and "Conv_1" in other


def test_of_a_notebook_the_log_stays_and_nothing_else() -> None:
    stream = {"text": LEAKY.splitlines(keepends=True), "output_type": "stream"}
    cell = {"cell_type": "code", "source": ["key = 'hunter2_99'\n"], "outputs": [stream]}
    notebook = json.dumps({"cells": [cell], "metadata": {"kernel": "acme"}}, indent=1)
    (plain,) = text_of(LEAKY)
    (other,) = text_of(notebook)
    assert other.strip("\n") == plain.strip("\n")
    assert other.count("\n") == notebook.count("\n")  # lines keep their numbers
    in_a_line = json.dumps(json.loads(notebook))
    for data in (in_a_line, notebook.partition('"text"')[0]):
        with pytest.raises(elv.ReadError, match="no printed line"):  # and not an empty file
            text_of(data)


# ---- the command ---------------------------------------------------------------------------------


@pytest.fixture
def folder(folder: Path) -> Path:
    (folder / "build.log").write_text(LEAKY, "utf-8")
    profile = exported(("customer_x/Conv_1 + ledger.weight", 1.0))
    (folder / "prof.json").write_text(profile, "utf-8")
    return folder


def test_stdout_by_default(folder: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["anonymise", "build.log"]) == 0
    said = capfdbinary.readouterr()
    assert said.out.decode() == text_of(LEAKY)[0]
    told = rb"\d+ words and paths replaced, 10 of 32 lines removed"
    assert re.fullmatch(told + rb"; look at the result before you send it\n", said.err)


def test_a_packed_log_into_a_file(folder: Path) -> None:
    (folder / "build.log.gz").write_bytes(gzip.compress(LEAKY.encode()))
    assert main(["anonymise", "--log_file", "build.log.gz", "-o", "other.log", "--quiet"]) == 0
    assert (folder / "other.log").read_text("utf-8") == text_of(LEAKY)[0]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "error[ELV605]: no file is given"),
        (["build.log", "prof.json"], 2, "error[ELV605]: several files, and stdout takes one"),
        (["build.log", "prof.json", "-o", "prof.json"], 4, "a file stands in the place of"),
        (["build.log", "-o", "build.log"], 4, "this is a file that is read; it is not replaced"),
        (["none.log"], 2, "error[ELV401]"),
        (["picture.log"], 3, "error[ELV405]: not text"),
        (["build.log", "-o", "build.log/x.log"], 4, "error[ELV501]"),
    ],
)
def test_wrong_words(folder: Path, here: Program, words: list[str], code: int, said: str) -> None:
    (folder / "picture.log").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\0")
    assert said in here("anonymise", *words, code=code).stderr
    assert (folder / "build.log").read_text("utf-8") == LEAKY


def test_a_version_is_no_address() -> None:
    versions = "builder: tensorrt_rtx 1.7.1.116\n[I] TensorRT version: 8.6.1.6\n"
    (other,) = text_of(f"[engine_layer_visualize] {versions}[W] [TRT] no answer from 10.11.12.13\n")
    assert versions in other and other.endswith(" from 0.0.0.0\n")


# ---- what is refused -----------------------------------------------------------------------------

HEADS = (b"SQLite format 3\0", b"\x7fELF\x02\x01", b"PK\x03\x04", b"%PDF-1.4\n", b"PAR1")
BINARY = (
    *(head + b"acme " * 400 for head in (*HEADS, b"ftrt\0\0\0\0")),
    b"\x08\x08\x12\x04acme:\x90\x03" + b"acme " * 80,  # a model
    b"\n\x05acme\x12\x04\x1a\x02" * 200,
    b"acme acm\0\n" * 200,  # one byte in ten
)


@pytest.mark.parametrize("data", BINARY, ids=lambda data: repr(data[:8]))
@pytest.mark.parametrize("words", [(), ("-o", "other.log")])
def test_what_is_no_text_is_refused(
    folder: Path, here: Program, data: bytes, words: tuple[str, ...]
) -> None:
    (folder / "a.log").write_bytes(data)
    said = here("anonymise", "a.log", *words, code=3)
    assert (said.stdout, "a.log:1:1: error[ELV405]: not text" in said.stderr) == ("", True)
    assert not (folder / "other.log").exists()


def test_one_file_that_is_refused_stops_all(folder: Path, here: Program) -> None:
    (folder / "a.bin").write_bytes(bytes(100))
    assert here("anonymise", "build.log", "a.bin", "-o", "to_send", code=3).stdout == ""
    assert not list((folder / "to_send").iterdir())


# ---- clocks --------------------------------------------------------------------------------------

CLOCKS = (
    *("[W 14:45:25.665 acme.cc:3] ", "[V 14:45:25.665] ", "[V] 14:45:25.665 ", "(14:45:25,665) "),
    *("[V] [TRT] 2024-03-28 14:45:25.665 ", "V0328 14:45:25.665123 7733 acme.cc:3] "),
    *("2024-03-28T14:45:25.665Z ", "14:45:25,665 - INFO - ", "[14:45:25.665] [V] [TRT] "),
    *("[2024/03/28 14:45:25] ", "28.03.2024 14:45:25 | ", "[V 2024-03-28T14:45:25+01:45] "),
    *("[03/28/2024-14:45:25.665] [V] [TRT] ", "[W] [TRT] 14:45:25 "),
    "[E] at 2024-03-28 14:45:25: ",
)
LINES = (
    "Parsing node: /a/Conv [Conv]",
    "Missing scale and zero-point for tensor conv1, expect fall back to non-int8",
    "Set Tactic Name: sm80_xmma_x Tactic: 0x1",
    classic("conv", "x", "y").strip(),
    detailed("conv", "x", "y").strip(),
    "conv1: 0.3ms",
    "some words of nobody",
)


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("line", LINES, ids=lambda line: str(line)[:16])
def test_no_clock_stays_whatever_writes_it(clock: str, line: str) -> None:
    (other,) = text_of(f"first\n{clock}{line}\nlast\n")
    line = other.split("\n")[1]
    assert not re.search("14|45|25|665|03.28|2024|28.03", line), line
    assert line.endswith("[line removed]") or "00:00:00" in line


@pytest.mark.parametrize(
    "words", ["of 2024-03-28 14:45:25.665", "of 03/28/2024", "2024-03-28T14:45:25Z", "4:45:25.5 on"]
)
def test_no_clock_stays_in_a_warning(words: str) -> None:
    (other,) = text_of(f"[W] [TRT] the cache {words} is old\n")
    assert not re.search("[1-9]", other), other


def test_numbers_of_names_are_no_clock() -> None:
    name = "/conv_12:30:45/2024-03-28/Conv_14"
    (other,) = text_of(HEADER + text(classic(name, "x", "y")) + f"[V] [TRT] Removing {name}\n")
    assert other.count("_12:30:45/2024-03-28/Conv_14") == 2


# ---- places: paths, files, hosts, devices --------------------------------------------------------

UUID = "7e0c41d2-93ab-4f6e-b5d8-0cafe1234567"


@pytest.mark.parametrize("uuid", [UUID, f"GPU-{UUID}", f"MIG-{UUID}", UUID.upper()])
@pytest.mark.parametrize(
    "line",
    [
        '[I] === Device Information ===\n[I]   Device 0: "NVIDIA H100 PCIe" UUID: %s',
        "[W] [TRT] The device %s is used by another process",
        "[V] [TRT] Loaded 3 bytes of timing cache for %s",
        "[V] [TRT] Removing conv_%s + relu",
        "[V] [TRT] Engine Layer Information:\nLayer(Conv): a_%s, Tactic: 0x1, x -> y",
    ],
)
def test_a_uuid_goes_as_a_whole(line: str, uuid: str) -> None:
    (other,) = text_of(line % uuid)
    parts = uuid.lower().removeprefix("gpu-").removeprefix("mig-").split("-")
    assert [part for part in parts if part in other.lower()] == []
    assert "00000000-0000-0000-0000-000000000000" in other


# Each begins with a place whose words are those of TensorRT and stayed.
PLACES = (
    *("model-weights.TimingCache", "/srv/output/engine_cache", "~/output/weights", "output/build"),
    *(r"D:\output\build\model.weight", r"\\output\build", "weight@build"),
    "tensor@output.build.com",
    *("https://build.output.org/engine?layer=weight", "build.output.org", "file:///output/weight"),
    *("layer.weight", "layer.weights.onnx", '"/output/build of/engine"', "~weight"),
    *("17:af:2b:9c:11:d4", "0017:af:2b.4", "fe17::af:2b9c", "17:af:2b9c:1:2:3:4:5"),
    "serial number: 17af2b",
)
SENTENCES = ("[W] [TRT] Could not read %s, a file of the cache.", "[E] Error Code 2: (file=%s)")


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("place", PLACES)
def test_a_place_goes_with_its_words(place: str, sentence: str) -> None:
    (other,) = text_of(sentence % place)
    (nowhere,) = text_of(sentence % "-")
    left = set(re.findall("[a-z]+|17", other)) - set(re.findall("[a-z]+", nowhere))
    words = set(re.findall("output|build|engine|weights?|model|layer|tensor|17|af", place))
    assert left & words == set()
    assert "cache" in other or "Error Code 2" in other


def test_a_file_keeps_a_known_extension_alone() -> None:
    lines = ("weights.onnx", "weights.TimingCache", "weights", "/log/weights.log", "/x/log")
    (other,) = text_of("".join(f"[W] Could not read: /y/{name}.\n" for name in lines))
    found = re.findall(r"read: /pA/(\S+)", other)
    assert found == ["pB.onnx.", "pC.", "pD.", "/pE/pF.log.", "/pG/pE."]


OPTIONS = (
    *("Export output to JSON file", "Export profile to JSON file", "Export timing to JSON file"),
    *("Plugins", "Timing cache"),
)


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize(
    "path", ["/home/alice/output/build/engine_weight.log", "output/weight.log"]
)
def test_the_path_of_an_option_goes(option: str, path: str) -> None:
    (other,) = text_of(f"[I] === Reporting Options ===\n[I] {option}: {path}\n")
    line = other.split("\n")[1]
    assert re.fullmatch(r"\[I\] .+: /?(p[A-Z]/)+p[A-Z]\.log", line), line


def test_the_places_of_json_go() -> None:
    options = {"Save engine": "output/weight.engine", "Note": "see /output/weight/build"}
    options |= {"Selected Device": "NVIDIA H100 PCIe", "Selected Device UUID": f"GPU-{UUID}"}
    (other,) = text_of(json.dumps({"build_options": options}))
    found = list(json.loads(other)["build_options"].values())
    assert found[2:] == ["NVIDIA H100 PCIe", "[removed]"]
    assert re.findall("output|weight", other) == []


def test_of_a_search_among_build_routes_nothing_is_told() -> None:
    """No reader takes its lines and its cache: their words go as those of any log and any JSON."""
    command = {"command_line": "trtexec --onnx=/home/alice/zebra.onnx --tuneBuildRoutes=zebra"}
    command |= {"default_build_route": "-secret_knob=zebra"}
    argv = ["trtexec", "--onnx=zebra.onnx", "--tuningCacheFile=/srv/alice/zebra"]
    tried = {"iter": 0, "build_route": "-zebra=on", "error_message": "alice: zebra"}
    lines = text(
        "[I] Expanded to 2 build route configurations",
        "[I] Tuning iteration [0]: -secret_knob=zebra",
        "[I] Using tuning build route: -secret_knob=zebra",
        "[V] [TRT] Original: 4 layers",
        "[E] Iteration [0] failed: cannot open /home/alice/zebra.onnx",
        "[I] Best iteration: -secret_knob=zebra (gpu_time_ms=1.4)",
    )
    log, cache = text_of(lines, text(json.dumps({**command, "argv": argv}), json.dumps(tried)))
    assert "Original: 4 layers" in log and log.count("\n") == 6
    assert re.findall("secret|zebra|alice|home|srv", log + cache) == []
