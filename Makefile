# The two commands a user needs: `make lab` and `make check`. Each installs what is missing first.
BUILD ?= build
PRESET ?=
JOBS ?= $(shell nproc)
CMAKE_FLAGS ?=
BUILD_TARGET :=
VENV := $(abspath $(BUILD))/venv

.PHONY: lab check build setup clean

lab: BUILD_TARGET = --target ridge_app
lab: build
	$(BUILD)/ridge lab

build: setup
	cmake -S . -B $(BUILD) $(if $(PRESET),--preset $(PRESET)) $(CMAKE_FLAGS)
	cmake --build $(BUILD) -j $(JOBS) $(BUILD_TARGET)

check: setup
	scripts/test_python.sh $(VENV)
	$(MAKE) build BUILD=$(BUILD) CMAKE_FLAGS="$(CMAKE_FLAGS) -DRIDGE_PYTHON=$(VENV)/bin/python"
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

setup:
	@scripts/setup.sh

clean:
	rm -rf $(BUILD)
