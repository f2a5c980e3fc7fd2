"""What the code of each problem means, an example of it, and what to do.

`docs/problems.md` has the same sentences, and a test compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_RECORD: Final = "Look at the line: was it cut, or mixed with another? If it is whole, report it."
_WHOLE: Final = "Keep the whole log of the build."
_OTHER: Final = "Give the profile that was measured with this engine."
_BUILD: Final = "Build with `trtexec --onnx=model.onnx --verbose`, or with a VERBOSE logger."


@dataclass(frozen=True, slots=True)
class Explanation:
    """`meaning` and `remedy`: sentences; `example`: the message of such a problem."""

    meaning: str
    example: str
    remedy: str


EXPLANATIONS: Final = {
    "ELV101": Explanation(
        "A layer's record has no tactic. It is drawn with its raw text.",
        "build.log:5:21: error[ELV101]: layer record without a tactic\n"
        "  Layer(CaskPooling): oak/pool, oak (Half[1,16:8,16,16]) -> ba…\n"
        "                      ^ expected `, Tactic: ` and a number",
        _RECORD,
    ),
    "ELV102": Explanation(
        "A tensor in a record has no descriptor such as `[Int8(1,64)]`. The layer is drawn "
        "with its raw text.",
        "build.log:7:86: error[ELV102]: tensor without a descriptor\n"
        "  …00000000001, moss (Half[1,16:8,8,8]) -> lichen\n"
        "                                           ^ expected a tensor such as `270 "
        "(Int8[1,64])`",
        _RECORD,
    ),
    "ELV103": Explanation(
        "A record has no arrow between its inputs and its outputs. It is drawn with its raw text.",
        "build.log:8:79: error[ELV103]: layer record without an arrow\n"
        "  …000000000000000, moss (Half[1,16:8,8,8])\n"
        "                                           ^ expected ` -> ` and the outputs",
        _RECORD,
    ),
    "ELV104": Explanation(
        "A record cannot be read for another reason. It is drawn with its raw text.",
        "layers.json:5:1: error[ELV104]: a layer that is neither a record with a name and "
        "tensors nor a name",
        _RECORD,
    ),
    "ELV105": Explanation(
        "A header stands in the log, but no records below it.",
        "build.log:3:1: error[ELV105]: a listing's header without records: the log is cut "
        "there, or was filtered",
        _WHOLE,
    ),
    "ELV106": Explanation(
        "Records have no header above them: the start of the log was cut off.",
        "build.log:2:1: warning[ELV106]: records without a header: the log was cut before them",
        _WHOLE,
    ),
    "ELV107": Explanation(
        "A line can be read in two ways, and one of them is drawn.",
        "build.log:3:1: warning[ELV107]: 2 readings, and nothing tells which is meant; the "
        "leftmost is drawn",
        "Compare the layer with its line. A name that holds no `, ` and no ` -> ` has one reading.",
    ),
    "ELV108": Explanation(
        "An input ends too early: a damaged archive, a broken JSON, a read error. What came "
        "before is drawn.",
        "build.log.gz:1:1: error[ELV108]: the compressed file is damaged: it ends in the middle",
        "Copy the file again, and whole.",
    ),
    "ELV109": Explanation(
        "A line or a file is larger than its bound. Of a line only the start is read.",
        "build.log:1:1: error[ELV109]: a line of 20 MiB, over 16: only its start was read",
        "If you trust the log, raise `--max_line`.",
    ),
    "ELV111": Explanation(
        "The engine keeps only the names of layers, so there is no graph.",
        "layers.json:4:1: warning[ELV111]: the layers' names alone, no tensors, so no graph; "
        "for one, build with --profilingVerbosity=detailed",
        "Build with `--profilingVerbosity=detailed`.",
    ),
    "ELV112": Explanation(
        "There are more layers than `--max_layers`; the rest is not read.",
        "build.log:24:1: error[ELV112]: more layers than the limit (--max_layers): reading "
        "stopped here",
        "If you trust the log, raise `--max_layers`.",
    ),
    "ELV113": Explanation(
        "`collect`: the program failed at a log, or its process died.",
        "build.log:1:1: error[ELV113]: the process that read it died; is memory short?",
        "Read the log alone, with `summary`. If that fails, too, report it.",
    ),
    "ELV114": Explanation(
        "The log ends inside a listing: inside a record, or before a layer that writes an output. "
        "What came before is drawn; nothing is said of the engine as a whole.",
        "build.log:5:1: error[ELV114]: the listing ends at line 5, cut inside a record",
        "Keep the whole log of the build. If it is whole, report it.",
    ),
    "ELV115": Explanation(
        "Lines of the listing were left out, as in an article that quotes it. Sums are of the "
        "layers that are there, and nothing is said of the engine's inputs and outputs unless the "
        "log names them.",
        "build.log:1:1: warning[ELV115]: a part of a listing: lines of it were left out",
        "For the whole engine, give the whole log of its build.",
    ),
    "ELV201": Explanation(
        "A profile file holds no times in a known format.",
        "prof.json:1:1: error[ELV201]: no profile: empty",
        "Write it with `trtexec --loadEngine=… --exportProfile=prof.json`.",
    ),
    "ELV202": Explanation(
        "No row of the profile has the name of a layer: it is of another engine.",
        "prof.json:1:1: error[ELV202]: no row bears the name of a layer: `pine/conv`, `pine/pool`",
        _OTHER,
    ),
    "ELV203": Explanation(
        "Some rows of the profile have no layer.",
        "prof.json:1:1: warning[ELV203]: 1 of 6 profile rows have no layer: `acorn to nvm`",
        "Nothing, if these are rows of the runtime, such as copies. If they are many, give "
        "the profile that was measured with this engine.",
    ),
    "ELV204": Explanation(
        "The time of a row cannot be read, or is none: above 1e9 ms, or below 1e-9 ms and not 0.",
        "prof.json:4:1: error[ELV204]: row 2: `averageMs` of `oak/conv` is nan",
        "Measure again; the layer has no time until then.",
    ),
    "ELV205": Explanation(
        "A profile fits several engines equally well; the message names the one that got it.",
        "prof.json:1:1: warning[ELV205]: fits engines 0, 1 equally well; the first is taken: "
        "engine 0",
        "Say with `--engine` which one it is of.",
    ),
    "ELV206": Explanation(
        "An engine has times from another profile already; this one is not used. The log's own "
        "table is kept where a file has times for fewer layers, or for fewer than half.",
        "prof.json:1:1: warning[ELV206]: engine 0 has its times from prof.json; these are not used",
        "Give one profile for each engine. `--force` takes a file in place of the log's own table.",
    ),
    "ELV207": Explanation(
        "A file given as a profile holds no times, such as TREx's metadata.",
        "m.json:1:1: warning[ELV207]: the metadata of a TREx file set: no layer times in it",
        "Give the file of the set whose name ends in `.profile.json`.",
    ),
    "ELV208": Explanation(
        "A file does not hold the times of iterations as trtexec writes them, or one of them "
        "cannot be read.",
        "times.json:9:3: error[ELV208]: iteration 7: `computeMs` is no time: nan",
        "Write it with `trtexec --loadEngine=… --exportTimes=times.json`.",
    ),
    "ELV209": Explanation(
        "A profile has times for fewer than half of the layers that run a kernel: it is not whole, "
        "or of another engine. It is not used.",
        "prof.json:1:1: error[ELV209]: times for 11 of 62 layers, fewer than half; not used without"
        " --force",
        "Give the profile that was measured with this engine, or `--force` (in Python "
        "`read(…, force=True)`).",
    ),
    "ELV210": Explanation(
        "A printed table of times has no row of totals: the log was cut in the table.",
        "build.log:7:1: error[ELV210]: the table of times ends at line 7, cut: no row of totals",
        "Keep the whole log, or give the times with `--profile_file`.",
    ),
    "ELV301": Explanation(
        "A layer reads a tensor that no layer writes and that is no input of the engine.",
        "build.log:7:1: warning[ELV301]: no listed layer writes `twig`, which `oak/add` reads",
        "See whether a record is missing in the log. A constant of a Myelin layer may have no"
        " record.",
    ),
    "ELV401": Explanation(
        "A file cannot be opened or unpacked.",
        "nope.log:1:1: error[ELV401]: cannot be read: no such file or directory",
        "Check the path, and the rights to read it.",
    ),
    "ELV402": Explanation(
        "The input is not a VERBOSE log of a build.",
        "build.log:1:1: error[ELV402]: not a VERBOSE log: no listing of layers in it",
        _BUILD,
    ),
    "ELV403": Explanation(
        "The log is of loading an engine, not of building one.",
        "build.log:1:1: error[ELV403]: an engine was loaded, not built: the log has no "
        "listing of its layers",
        "Take the log of the build, or run `trtexec --loadEngine=… "
        "--exportLayerInfo=layers.json` and give layers.json as `--log_file`.",
    ),
    "ELV404": Explanation(
        "The log is of a build that failed, crashed or was killed.",
        "build.log:9:1: error[ELV404]: the build failed: Building engine failed",
        "Read the lines before it in the log: they say why. `--format build-trace` shows where its "
        "time went, where the log has time stamps.",
    ),
    "ELV405": Explanation(
        "The input is not text.",
        "build.log:1:1: error[ELV405]: a PNG picture, not a log",
        "Give the log as text, or packed with gzip, xz or zstd.",
    ),
    "ELV406": Explanation(
        "The log has no engine of the number in `--engine`.",
        "build.log: error[ELV406]: there is no engine 3; the log holds engine 0 alone",
        "Engines are counted from 0.",
    ),
    "ELV407": Explanation(
        "`--query`, `--around` and `--hide` leave no layer, or `--around` names none or several.",
        "build.log:13:1: error[ELV407]: engine 0: no layer is called `zzz`; layers are "
        "numbered 0 to 53",
        "Give a part of a name that one layer has, or its index.",
    ),
    "ELV408": Explanation(
        "The engine has no such optimisation profile.",
        "build.log:13:1: error[ELV408]: engine 0 has no optimisation profile 4; it has 0",
        "Take one of the numbers in the message.",
    ),
    "ELV409": Explanation(
        "A word in `--hide` is no type of layer.",
        "build.log: warning[ELV409]: --hide Refromat hides nothing: no layer is of such a"
        " type; did you mean `Reformat`?",
        "Take a type that the engine has; `summary --sections types` lists them.",
    ),
    "ELV410": Explanation(
        "The text in `--query` cannot be read.",
        "--query:1:1: error[ELV410]: no field 'tpye'; did you mean type? there are name, type, …",
        "Correct it where the caret points; docs/command-line.md lists what a query may hold.",
    ),
    "ELV411": Explanation(
        "A format that shows times alone has none to show: no layer has a measured time or an "
        "estimate of the builder's, or no line of the log a time stamp.",
        "build.log:1008:1: error[ELV411]: trace: no layer of engine 0 has a time",
        "Give a profile with `--profile_file`; for `build-trace`, keep the time stamps of the log.",
    ),
    "ELV412": Explanation(
        "The log stops in the middle of a build: it still runs, it was stopped, or its log was "
        "cut. The message says what was going on.",
        "build.log:8:1: error[ELV412]: a VERBOSE log that ends at line 8, while timing oak/conv, "
        "after 1 of 5 layers, without its listing of layers",
        "Wait for the build's end, or look for what stopped it: memory, a time limit. Keep the "
        "whole log of the build.",
    ),
    "ELV413": Explanation(
        "The log is of a build that succeeded, but lines were left out, and the listing with them.",
        "build.log:9:1: error[ELV413]: the engine was built, but the listing of its layers is not "
        "in the log",
        _WHOLE,
    ),
    "ELV501": Explanation(
        "A file cannot be written.",
        "out/EngineLayers_0.dot: error[ELV501]: cannot be written: no space left on device",
        "Choose another `--output_dir`, or make room.",
    ),
    "ELV502": Explanation(
        "What draws or writes this format is not installed.",
        "png: error[ELV502]: drawing png needs the extra `render`",
        "Install what the message names. `svg` and `html` need nothing; of tables, `csv` and "
        "`jsonl`.",
    ),
    "ELV503": Explanation(
        "What draws this format failed.",
        "graphviz: error[ELV503]: Graphviz took longer than 120 s",
        "Draw a part (`--query`, `--around`), or take `svg` or `html`.",
    ),
    "ELV504": Explanation(
        "The engine is too large for one picture; repeated blocks are drawn once.",
        "build.log:9:1: warning[ELV504]: 2000 layers are too many for one picture",
        "Take `html`, which folds and unfolds blocks, or draw a part (`--query`, `--around`).",
    ),
    "ELV505": Explanation(
        "In the place of an output stands a file of another log, or of another program. Nothing "
        "of this log was written.",
        "EngineLayers_0.svg: error[ELV505]: this was drawn from another log, a.log; it is not "
        "replaced",
        "Choose another `--output_dir` or `--name`, or replace it with `--force`.",
    ),
    "ELV506": Explanation(
        "`collect`: another run writes into the dataset. Nothing was done.",
        "ds: error[ELV506]: another run writes into this dataset",
        "Start it again when the other one has ended.",
    ),
    "ELV507": Explanation(
        "A newer version of the program wrote the dataset. Nothing was done.",
        "ds: error[ELV507]: a newer program wrote this dataset: schema 2, and not 1",
        "Update the program, or choose another `--output_dir`.",
    ),
    "ELV601": Explanation(
        "`record` found no builder, or none that can be started.",
        "--builder trtexec: error[ELV601]: there is no trtexec on the PATH; it comes with "
        "TensorRT's own packages",
        "Install one of those that the message names, or choose another `--builder`.",
    ),
    "ELV602": Explanation(
        "`record`: the build failed; its log is kept, and the message says where.",
        "out/build.log:12:1: error[ELV602]: the build failed: Network must have at least one "
        "output.",
        "Read the end of the log.",
    ),
    "ELV603": Explanation(
        "`record`: the value of `--shapes` is not a shape.",
        "--shapes x:1xa: error[ELV603]: not a shape such as x:1x3x224x224",
        "Write NAME:1x3x224x224, or for a range NAME:MIN:OPT:MAX.",
    ),
    "ELV604": Explanation(
        "`record`: the build would write over the model.",
        "out/model.engine: error[ELV604]: the build would write over the model",
        "Choose another `--output_dir`.",
    ),
    "ELV605": Explanation(
        "`anonymise`, `cut`, `snapshot`: no file is given or too many, or it is not clear where to "
        "write the result.",
        "<stdout>: error[ELV605]: several files, and stdout takes one",
        "Give one file, or a folder: `-o DIR`.",
    ),
    "ELV606": Explanation(
        "`compare`: there is only one engine.",
        "build.log: error[ELV606]: this is the only engine that was read; a comparison needs two",
        "Give a second log, or a log that holds several engines.",
    ),
    "ELV607": Explanation(
        "`cut`: the layers cannot be cut out of the model, or there are none.",
        "build.log:12:1: error[ELV607]: layer 3 cannot be cut out: neither its record nor the log "
        "names ONNX nodes of it",
        "Give the model that the engine was built from, and the log of a build with "
        "`--profilingVerbosity=detailed`.",
    ),
    "ELV701": Explanation(
        "`lint`: its settings, `elv.toml` or the table `tool.engine_layer_visualize` of a "
        "`pyproject.toml`, cannot be used.",
        "elv.toml:2:1: error[ELV701]: no key 'selct'; did you mean select? there are select, "
        "ignore, min_ms, min_share, fail_on, suppress",
        "Look at this place of the file. All keys: docs/lint.md.",
    ),
    "ELV702": Explanation(
        "`lint`: the file of `--baseline` is JSON, but none that `lint --format json` writes.",
        "old.json: error[ELV702]: no JSON of `lint --format json`: `engines` is missing",
        "Give a log, or write the file again: `lint --log_file old.log --format json > old.json`.",
    ),
    "ELV703": Explanation(
        "`compare`: fewer than half of the layers of the smaller engine do the work of a layer of "
        "the other. Only layers with the same names or weights are matched.",
        "b.log:812: warning[ELV703]: it seems to be another network than A: no layer of one is "
        "surely a layer of the other",
        "See whether both logs are of one model. `--match structure` matches by work and place "
        "alone.",
    ),
    "ELV704": Explanation(
        "`compare`: an engine has no times, or times of another kind, or too few of them. Layers "
        "are matched, and there is no difference of times.",
        "b.log:812: warning[ELV704]: no difference of times: B has no times",
        "Give each log its own profile, right after it.",
    ),
    "ELV705": Explanation(
        "`gate`: the baseline is JSON of this program, but no snapshot that can be used; or a "
        "snapshot stands where a log is wanted, or has files of times beside it.",
        "base.json:1:1: error[ELV705]: no snapshot that can be used: of schema 3, and not 1 or 2",
        "Write it again: `snapshot --log_file old.log --times run.json --output base.json`.",
    ),
    "ELV706": Explanation(
        "A report of Nsight Systems holds CUDA graphs as a whole, or does not hold their capture; "
        "or kernels began too many calls after their own. No layer has these kernels.",
        "run.sqlite:1:1: warning[ELV706]: 10 CUDA graphs were recorded as a whole, and no layer "
        "has their 2.5 ms: record with `nsys profile --cuda-graph-trace=node`",
        "Record again with `nsys profile --cuda-graph-trace=node`, from before the capture on. Let "
        "the host wait for the device where it is far ahead.",
    ),
    "ELV801": Explanation(
        "The file of `--onnx`, or that of `record`, holds no ONNX model, or one that cannot be "
        "read.",
        "model.onnx:1:1: error[ELV801]: not an ONNX model: its bytes are no protobuf message",
        "Give the model that the engine was built from. One of 2 GiB or more keeps its weights in "
        "a file of their own: `onnx.save(model, path, save_as_external_data=True)`.",
    ),
    "ELV802": Explanation(
        "Fewer than half of the names of an engine's ONNX nodes are in the model of `--onnx`, or "
        "its tensors of the same names have other extents, or it names no nodes. Nothing is taken "
        "from it.",
        "model.onnx:1:1: warning[ELV802]: 3 of 120 names of ONNX nodes of engine 0 are in the "
        "model (2.5 %): it seems to be of another network, and nothing is taken from it",
        "Give the model that the engine was built from; another export may have other names.",
    ),
}
