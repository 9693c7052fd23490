# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The front door; Meson and Ninja are behind it.
#
#   make          build into ./build; ./build/dtrace runs as it stands, lockstat,
#                 plockstat, dtrace-live, dtrace-show and dtrace-export beside it
#   make demo     trace a real program
#   make check    unit tests plain and under ASan+UBSan, golden D programs
#   make bench    measure, beside other tools; figures go to bench/README.md
#   make fuzz     fuzz each parser for FUZZ_SECONDS (default 60)
#   make torture  attach to and kill off hard targets, a thousand times each
#   make fresh    the demo and all tests in a minimal Debian, in two ways
#   make cross    build for aarch64, run there what needs no kernel (qemu-user)
#   make drop-in  build packages of Debian with our dtrace, and trace them
#   make vm       run what a kernel matters to on others, in QEMU: two hours
#   make doc      the doc site, build/doc-site/index.html
#   make packages Debian packages, built and tried in a minimal Debian
#   make container the image of container/, built from a minimal Debian and tried
#   make install  to PREFIX (default /usr/local), DESTDIR respected
#   make uninstall  takes away what install has put there

BUILD ?= build
ASAN ?= build-asan
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
TORTURE_SECONDS ?= 600
TORTURE_CYCLES ?= 1000
NINJA = ninja -C
COMMANDS = $(addprefix src/cmd/, dtrace dtrace-live dtrace-show lockstat \
	plockstat) src/export/dtrace-export

.PHONY: all demo check bench fuzz install uninstall clean vm fresh cross torture \
	doc packages container drop-in

all: $(BUILD)/build.ninja
	@$(NINJA) $(BUILD) --quiet
	@cd $(BUILD) && ln -sf $(COMMANDS) .

$(BUILD)/build.ninja:
	@tools/install-packages build
	@meson setup $(BUILD) --prefix $(PREFIX) >/dev/null

# A tree that was configured before the packages of the tests were there (make
# demo) knows half of the tests.
$(BUILD)/.with-tests: | $(BUILD)/build.ninja
	@meson setup --reconfigure $(BUILD) >/dev/null
	@touch $@

$(ASAN)/build.ninja:
	@meson setup $(ASAN) -Db_sanitize=address,undefined -Db_lundef=false \
		-Dwerror=true >/dev/null

demo: all
	@tools/demo $(BUILD)/dtrace

check:
	@tools/install-packages test
	@$(MAKE) --no-print-directory $(BUILD)/.with-tests
	@$(MAKE) --no-print-directory all $(ASAN)/build.ninja
	@$(NINJA) $(ASAN) --quiet
	@ln -sf src/cmd/dtrace $(ASAN)/dtrace
	@tools/check $(BUILD) $(ASAN)

torture: all
	@tools/install-packages test
	@test/torture/run $(BUILD)/dtrace $(BUILD)/test/torture \
		-s $(TORTURE_SECONDS) -n $(TORTURE_CYCLES)

vm: all
	@test/vm/run $(BUILD)

fresh:
	@tools/fresh

cross:
	@tools/cross

drop-in: all
	@tools/drop-in $(BUILD)/dtrace $(BUILD)/drop-in

bench:
	@tools/install-packages bench
	@$(MAKE) --no-print-directory all
	@bench/run $(BUILD)
	@bench/process $(BUILD)
	@bench/programs $(BUILD)/dtrace

fuzz:
	@tools/install-packages build
	@tools/install-packages fuzz
	@fuzz/run $(FUZZ_SECONDS)

# A tree that was configured for another prefix takes the one that is given.
install: $(BUILD)/build.ninja
ifneq ($(origin PREFIX),file)
	@meson configure $(BUILD) --prefix "$(PREFIX)"
endif
	@$(MAKE) --no-print-directory all
	@tools/installed record $(BUILD)
	@meson install -C $(BUILD) --no-rebuild

uninstall:
	@tools/installed remove $(BUILD)

doc: all
	@tools/install-packages doc
	@tools/doc-site $(BUILD)

packages:
	@tools/packages

container:
	@tools/container

clean:
	rm -rf $(BUILD) $(ASAN) build-fuzz
