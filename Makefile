# What a person types: make eval (or make eval NEURAL=1), make test. Needs python3 (3.11 to 3.13) with venv, git, make.

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
OUT    ?= build/eval
# Copies of IdBench's, SeSaMe's and Liu et al.'s files, if they lie beside the repository;
# `codeacumen dataset get` fetches the first two where there is a network.
IDBENCH ?= ../shared/data/idbench
SESAME  ?= ../shared/data/sesame
LIU     ?= ../shared/data/liu2019

# The embedded corpus: four small Java projects.
EXAMPLES = examples/ballot examples/library examples/quill examples/tramway

# Variants are compiled where there is a compiler.
CERTIFY = $(shell command -v javac >/dev/null 2>&1 && echo compiles || echo binds)

# The models that are asked GLUECode's tasks: all that learn from a training split, and the bounds.
GLUECODE = $(foreach model,random-label majority bag-of-tokens ngrams structure nearest \
	completion:context=method completion:context=project last-null classical oracle,-m $(model))

# With NEURAL=1 small networks are trained as well, in a minute or two, and asked the same.
ifdef NEURAL
NETWORKS = $(OUT)/networks
GLUECODE += -m run:$(NETWORKS)/cnn -m run:$(NETWORKS)/code2vec
STAGE = .neural
else
STAGE = .core
endif

# Those that compare two methods. Of SeSaMe only a few are asked: it has twelve tasks.
ALIKE = $(foreach model,random levenshtein toksim subtokens path-contexts wl-kernel method-shape,-m $(model))
SESAME_MODELS = $(foreach model,random toksim docsim subtokens method-shape,-m $(model))

# Those that judge a method's name, or give it one.
NAMING = $(foreach model,random majority antipatterns codeacumen-naming,-m $(model))

.DEFAULT_GOAL := help
.PHONY: help eval test lint bench docs clean constraints tools kernels modules

help:
	@echo "make eval    evaluate the built-in models and write a report; NEURAL=1: networks too"
	@echo "make test    lint, type check and test; THOROUGH=1: long tests and all cases too"
	@echo "make lint    ruff, mypy and plain words only"
	@echo "make bench   speed and memory, as ratios to a baseline"
	@echo "make docs    build the documentation into site/"

# Most of what is installed is never imported: what is, Python compiles when it is, once. Images of
# containers may forbid it to keep that, and then each of a thousand processes compiles anew.
unexport PYTHONDONTWRITEBYTECODE
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt

# One environment, made once: evaluating needs its first stage only, testing adds the tools.
$(BIN)/.core: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(BIN)/.dev: $(BIN)/.core
	$(PIP) -e '.[dev]'
	touch $@

$(BIN)/.neural: $(BIN)/.core
	$(PIP) -e '.[neural]'
	touch $@

eval: $(BIN)/$(STAGE)
	@if [ -d "$(IDBENCH)" ]; then $(BIN)/codeacumen dataset get idbench --from "$(IDBENCH)" >/dev/null; fi
	$(BIN)/codeacumen corpus build $(EXAMPLES) --out $(OUT)/examples
	$(BIN)/codeacumen dataset build robustness $(OUT)/examples --split all --certify $(CERTIFY) \
		--where single --where all --where 50% --out $(OUT)/robustness
	$(BIN)/codeacumen dataset build gluecode $(OUT)/examples --out $(OUT)/gluecode
	$(BIN)/codeacumen dataset build similarity $(OUT)/examples --out $(OUT)/similarity
	$(BIN)/codeacumen eval --plugin examples/trigram_embedding.py --task abbreviations \
		$(if $(wildcard $(IDBENCH)),--task idbench) --skip-unfit --out $(OUT)
	$(BIN)/codeacumen eval --task robustness@$(OUT)/robustness --model majority \
		--model nearest-namer:corpus=$(OUT)/examples,split=all --out $(OUT)/names
	$(if $(NEURAL),$(BIN)/codeacumen train network cnn -t gluecode@$(OUT)/gluecode \
		--config small --out $(NETWORKS)/cnn)
	$(if $(NEURAL),$(BIN)/codeacumen train network code2vec \
		-t gluecode/naming@$(OUT)/gluecode --config small --out $(NETWORKS)/code2vec)
	$(BIN)/codeacumen eval --task gluecode@$(OUT)/gluecode --skip-unfit $(GLUECODE) \
		--out $(OUT)/methods
	$(BIN)/codeacumen eval --task similarity@$(OUT)/similarity --skip-unfit $(ALIKE) \
		--out $(OUT)/alike
	@if [ -d "$(SESAME)" ]; then \
		$(BIN)/codeacumen dataset get sesame --from "$(SESAME)" >/dev/null && \
		$(BIN)/codeacumen eval --task sesame --skip-unfit $(SESAME_MODELS) --out $(OUT)/sesame; fi
	@if [ -d "$(LIU)" ]; then \
		$(BIN)/codeacumen dataset get liu2019 --from "$(LIU)" >/dev/null && \
		$(BIN)/codeacumen eval --task names/liu/check --task names/liu/recommend --skip-unfit $(NAMING) \
			--out $(OUT)/naming; fi
	$(BIN)/codeacumen report $(OUT) $(OUT)/names $(OUT)/methods $(OUT)/alike \
		$(if $(wildcard $(SESAME)),$(OUT)/sesame) $(if $(wildcard $(LIU)),$(OUT)/naming) \
		--corpus $(OUT)/examples

lint: $(BIN)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python scripts/lint_plain_words.py src tests scripts bench research examples
	$(BIN)/mypy

# A Chromium and the JDK's source; elsewhere than on Debian as root, tests that need them skip.
tools:
	@sh scripts/install_test_tools.sh

# Machine code of all kernels, which takes a minute or two once for a checkout; while the tools of the
# tests are installed, which they do not need.
kernels: $(BIN)/.core
	@$(BIN)/python scripts/compile_kernels.py

# The tests' own modules, and what they import, compiled once and not by each process.
modules: $(BIN)/.dev
	@$(BIN)/python -m pytest --collect-only --quiet >/dev/null || true

# The tools are fetched while the environment is made.
test:
	$(MAKE) --jobs=3 --output-sync tools lint kernels modules
	@# Three processes for two cores, since tests also wait for what they start, and no more than
	@# twelve, of a gigabyte or two; a thread in each: more only wait for each other.
	OMP_NUM_THREADS=1 $(if $(THOROUGH),CODEACUMEN_THOROUGH=1) $(BIN)/python -m pytest \
		-n $$($(BIN)/python -c 'from codeacumen.core.machine import count_processors; print(min(12, (count_processors() * 3 + 1) // 2))') \
		--dist worksteal

bench: $(BIN)/.dev
	$(BIN)/python bench/run.py

docs: $(BIN)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Resolve every extra anew and pin what came out.
constraints:
	$(PYTHON) scripts/pin_constraints.py

clean:
	rm -rf $(VENV) build dist site .mypy_cache .pytest_cache .ruff_cache
