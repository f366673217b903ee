# The two commands a user needs: `make lab` and `make check`. Each installs what is missing first.
# VERBOSE=1 shows what the steps say.
BUILD ?= build
PRESET ?=
JOBS ?= $(shell nproc)
CMAKE_FLAGS ?=
CTEST_FLAGS ?=
BUILD_TARGET :=
PYTHON := $(abspath $(BUILD))/venv
# A folder keeps the generator it was configured with.
GENERATOR = $(if $(wildcard $(BUILD)/CMakeCache.txt),,$(if $(shell command -v ninja 2>&1),-G Ninja))
# Tests run side by side, more of them than there are cores: they wait for compilers, and for each other's.
PLACES = $$(($(JOBS) * 3 / 2))
# Threads that wait for others should leave them the cores soon.
SPIN = GOMP_SPINCOUNT=$${GOMP_SPINCOUNT:-1000} OPENBLAS_NUM_THREADS=$${OPENBLAS_NUM_THREADS:-1}
STEP = @scripts/step.sh $@ $(BUILD)/logs/$@.log

.PHONY: lab check check-all build configure setup python clean
.NOTPARALLEL:

lab: BUILD_TARGET = --target ridge_for_lab
lab: build
	@$(BUILD)/ridge lab

build: configure
	$(STEP) cmake --build $(BUILD) -j $(JOBS) $(BUILD_TARGET)

configure: setup
	$(STEP) cmake -S . -B $(BUILD) $(GENERATOR) $(if $(PRESET),--preset $(PRESET)) $(CMAKE_FLAGS)

# For the devices that are here, as `make lab` builds; check-all also compiles for GPUs that are not.
HERE := -DRIDGE_GPU_KERNELS=$(if $(PRESET)$(filter check-all,$(MAKECMDGOALS)),ALL,HERE)
check check-all: override CMAKE_FLAGS += -DRIDGE_PYTHON=$(PYTHON)/bin/python $(HERE)
check-all: export RIDGE_HEADERS ?= all
check-all: override CMAKE_FLAGS += -DRIDGE_TEST_LEVELS=ALL
check check-all: python build
	@$(SPIN) ctest --test-dir $(BUILD) --output-on-failure -j $(PLACES) $(CTEST_FLAGS)
	@$(if $(filter check-all,$@),$(SPIN) CTEST_FLAGS="$(CTEST_FLAGS)" scripts/without_wings.sh $(BUILD))

python: setup
	$(STEP) scripts/test_python.sh $(PYTHON)

setup:
	$(STEP) scripts/setup.sh

clean:
	rm -rf $(BUILD)
