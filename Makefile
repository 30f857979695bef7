# One door to everything. A step runs again only when its stamp is older than what it depends on.

SHELL         := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS     += --no-print-directory

OPENHCA    := node bin/openhca.js
SCRIPT     := node --import tsx
NPM_STAMP  := build/.npm
VENV_STAMP := .venv/.stamp

# A stamp without what it stands for does not count.
ifeq ($(wildcard node_modules/.package-lock.json),)
$(NPM_STAMP): force
endif

.PHONY: tuned help doctor setup gen lint sim demo cards smoke test test-merge test-tools test-sims test-netlist soak fuzz conformance coverage widths bench synth formal formal-selftest mutate wave clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

doctor: ## name every missing prerequisite
	@bash scripts/doctor.sh

setup: $(NPM_STAMP) $(VENV_STAMP) ## install the pinned packages and tools into this folder

gen: $(NPM_STAMP) ## write Verilog, TypeScript, C and docs from src/spec/*.yaml
	@$(OPENHCA) gen
	@bash scripts/files.sh

lint: setup ## Verilator, Yosys, Icarus (if there), Biome and tsc over everything
	@bash scripts/lint.sh

sim: setup ## build the simulators
	@bash scripts/files.sh
	@bash sim/build.sh

# For what plays long: takes thrice the time to build, then runs twice as fast.
tuned: setup
	@bash scripts/files.sh
	@SIM_TUNED=1 bash sim/build.sh

demo: sim ## two HCAs move a file by every operation (FILE=path, WAVE=1)
	@[ "$$WAVE" != 1 ] || SIM_TRACE=1 bash sim/build.sh
	@$(OPENHCA) demo

wave: sim ## the demo, with waves for GTKWave or Surfer
	@WAVE=1 $(MAKE) demo

cards: $(NPM_STAMP) ## two golden models play two FPGA cards from out/cards (docs/fpga.md)
	@$(SCRIPT) scripts/board-stand-in.ts out/cards

smoke: sim ## one message end to end
	@$(OPENHCA) run scenarios/write.yaml --device rtl

widths: sim ## every scenario on every device at 128 and 512 bits too
	@for width in 128 512; do SIM_OPT=-O1 bash sim/build.sh $$width; done
	@REPORT=widths WIDTHS=128,512 npx vitest run --project system test/system/scenarios.test.ts

test: tuned ## unit, block and system tests (SHARD=i/n: that part of them)
	@npm test --silent

test-merge: setup ## one report of the parts in build/reports/shards
	@REPORT=test npx vitest run --merge-reports=build/reports/shards

test-tools: sim ## tests of the commands and scripts themselves
	@npm run --silent test:tools

test-sims: sim ## the system tests over cocotb with Verilator, runs of each kind there and in Icarus
	@bash sim/cocotb/build.sh verilator
	@REPORT=test-sims SIM=cocotb-verilator npx vitest run --project system
	@REPORT=test-sims-verilator SIM=cocotb-verilator npx vitest run --project tools test/tools/cocotb-equal.test.ts
	@REPORT=test-sims-icarus SIM=cocotb-icarus npx vitest run --project tools test/tools/cocotb-equal.test.ts

test-netlist: setup ## the netlist that Yosys makes of a small HCA does cycle by cycle what the RTL does
	@$(SCRIPT) scripts/netlist.ts
	@REPORT=test-netlist npx vitest run --project netlist

soak: tuned ## walk far at random from three seeds; goes on where it was stopped (STEPS=n)
	@$(SCRIPT) scripts/soak.ts

fuzz: tuned ## hostile files, frames, processes, packets, work requests (KINDS='files frames', STEPS=n, SEED=n)
	@$(SCRIPT) scripts/fuzz.ts $(KINDS)

conformance: tuned ## which statements of the standard the tests show (FROM=build/reports/test.json)
	@$(SCRIPT) scripts/conformance.ts $(if $(FROM),--from $(FROM))

coverage: setup ## what tests and a walk have met: bins, RTL, TypeScript, the plan (FROM=folder, ON=model, STEPS=n)
	@bash scripts/files.sh
	@[ -n "$(FROM)" ] || SIM_VARIANT=coverage SIM_ARGS='--coverage-line --coverage-toggle' bash sim/build.sh
	@$(SCRIPT) scripts/coverage.ts

bench: tuned ## measure rates and latencies, fail under a floor
	@$(OPENHCA) bench

synth: setup ## area and logic depth by Yosys in all sizes, frequency by nextpnr (ONLY=default: that size alone)
	@$(SCRIPT) scripts/synth.ts

formal: setup ## prove what proof/*.yaml says of the RTL, with SymbiYosys and z3
	@$(SCRIPT) scripts/formal.ts

formal-selftest: setup ## plant bugs that each proof has to notice
	@$(SCRIPT) scripts/formal.ts --selftest

mutate: setup ## break the RTL on purpose, see that a test notices (WALK=1: by the random walk alone; AUTO=n)
	@$(SCRIPT) scripts/mutate.ts
	@[ "$$WALK" = 1 ] || $(SCRIPT) scripts/mutate-auto.ts

clean: ## remove what was built, keep what was installed
	rm -rf out
	find build -mindepth 1 -maxdepth 1 ! -name .npm -exec rm -rf {} + 2>/dev/null || true

$(NPM_STAMP): package-lock.json | prerequisites
	@bash scripts/setup-npm.sh

$(VENV_STAMP): requirements.txt | prerequisites
	@bash scripts/setup-python.sh

# Every target that installs or runs something asks the doctor first.
.PHONY: prerequisites force
prerequisites:
	@bash scripts/doctor.sh --quiet
