# The commands that one types most. Each runs a CMake preset (CMakePresets.json) or a script of tools/.
#
#   make          build build/ripstop              make asan    the whole suite under sanitizers
#   make demo     faults, misrouting and a page    make fuzz    every fuzzer for FUZZ_SECONDS
#   make lab      the lab: a page to break links in, out/lab.html
#   make docs     the manual as a site that one can search, out/docs/index.html
#   make test     all tests                        make check   format, layers, words, clang-tidy
#   make test-quick   those that need nothing but what builds ripstop: three minutes with the build
#   make bench    speed and memory                 make package Debian packages, in build-package
#   make clean    remove what was built

export CMAKE_GENERATOR ?= Ninja
FUZZ_SECONDS ?= 5

.PHONY: build deps demo lab docs test test-quick bench asan fuzz check package clean
build:
	cmake --preset release
	cmake --build --preset release

deps:
	@tools/install-deps.sh

demo: deps build
	@mkdir -p out
	build/ripstop run experiments/quick.yaml --store out/quick.db
	build/ripstop report experiments/quick.yaml --store out/quick.db -o out/quick.html
	@echo "The page: $(CURDIR)/out/quick.html"
	@$(MAKE) --no-print-directory lab || echo "There is no lab, the page above is whole."

lab: deps
	@tools/install-deps.sh --lab
	cmake --preset release
	cmake --build --preset release --target ripstop lab
	@echo "The lab, in which packets move and you break links by clicking: $(CURDIR)/$$(build/ripstop lab)"

docs:
	@tools/install-deps.sh --docs
	tools/make-docs.py out/docs
	@echo "The manual: $(CURDIR)/out/docs/index.html"

# A test that is skipped fails: what it needs is installed first. `make test RIPSTOP_NO_SKIP=` lets tests be skipped.
test test-quick: export RIPSTOP_NO_SKIP ?= 1
test:
	@tools/install-deps.sh --test
	@echo "All tests: with the build about ten minutes on two processors (make test-quick: three minutes)."
	@start=$$(date +%s) && cmake --preset release && cmake --build --preset release && \
	  ctest --preset release --output-junit "$(CURDIR)/build/tests.xml" && tools/count-tests.sh build/tests.xml $$start

test-quick: deps
	@echo "The quick tests: with the build three minutes on two processors."
	@start=$$(date +%s) && cmake --preset release && cmake --build --preset quick && \
	  ctest --preset quick --output-junit "$(CURDIR)/build/tests.xml" && tools/count-tests.sh build/tests.xml $$start

bench: build
	cmake --build --preset release --target bench
	@mkdir -p out
	@for program in build/tests/bench_*; do \
	  case $$program in *_scale) ;; *) test ! -x "$$program" || "$$program" || exit 1 ;; esac; done
	@tools/bench-scale.sh

asan:
	cmake --workflow --preset asan

fuzz:
	tools/fuzz.sh $(FUZZ_SECONDS)

check:
	tools/check-format.sh
	tools/check-layers.sh
	tools/check-words.py
	tools/check-functions.sh
	tools/check-names.sh
	tools/check-tidy.sh

package: deps
	@tools/install-deps.sh --lab
	cmake -S . -B build-package -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DRIPSTOP_TESTS=OFF -DRIPSTOP_LAB=ON
	cmake --build build-package
	tools/package.sh build-package

clean:
	rm -rf build build-*
