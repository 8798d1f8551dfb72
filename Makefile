# make            builds bin/<tool>
# make check      installs what is missing, builds, tests: five minutes
# make check-all  every test: half an hour, and Go
# make demo       README's operator on an API server of its own

# The only place with the number: scripts ask `make -s version`, or a tool.
VERSION := 0.1.0
TOOLS := $(patsubst cmd/%/main.c,%,$(wildcard cmd/*/main.c))
# Found by kubectl: `kubectl kwhy`, and what completes that.
PLUGINS := kwhy kview kapply
PREFIX ?= /usr/local
CC ?= cc
PKG_CONFIG ?= pkg-config

# SANITIZE=address,undefined builds into a directory of its own.
SANITIZE ?=
# ktorture forks what it plays, which sanitizers do not like: its parts alone are
# made.
MADE := $(filter-out $(if $(SANITIZE),ktorture),$(TOOLS))
BUILD ?= build$(if $(SANITIZE),-sanitize)
BIN ?= $(if $(SANITIZE),$(BUILD)/bin,bin)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wvla -Wpointer-arith $(if $(CI),-Werror)
# Sanitized code is compiled twice as fast with -O1, and all of it a fifth faster
# with -g1, which has lines and no variables (gdb: make CFLAGS='-O0 -g').
CFLAGS ?= $(if $(SANITIZE),-O1,-O2) -g1
# One line for each file. make V=1: the commands.
Q = $(if $(V),,@)
QUIET = $(or $(V),$(findstring s,$(firstword -$(MAKEFLAGS))))
short = @$(if $(QUIET),:,printf '  %-4s %s\n' $(1) $(2))
# No rules but these: make looks for one that could make each of a thousand .d.
MAKEFLAGS += -r
# On all cores; -j N on the command line is stronger.
ifeq ($(filter-out 0,$(MAKELEVEL)),)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif
# What a tool does not call of a module of lib/ is left out of it.
SECTIONS := -ffunction-sections -fdata-sections
# Debuggers have -g1: tables to unwind the stack are a tenth of a stripped tool.
TABLES := $(if $(SANITIZE),,-fno-asynchronous-unwind-tables)
# The same bytes in every folder: kpipe has the build IDs of the tools in it.
ANYWHERE := -ffile-prefix-map=$(CURDIR)=.
# What the compiler and the system have: hardening flags, libraries.
CONFIG := $(BUILD)/config.mk
UNCONFIGURED := check check-all clean style check-layers demo version \
	monitoring uninstall dist deb
BUILDS := $(filter-out $(UNCONFIGURED),$(or $(MAKECMDGOALS),all))
ifneq ($(BUILDS),)
include $(CONFIG)
endif
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -DKPIPE_VERSION='"$(VERSION)"' \
	-DKPIPE_LIBJQ='"$(JQ_VERSION)"' -iquote lib \
	-include lib/base/platform.h -include lib/base/banned.h $(WARNINGS) \
	$(SECTIONS) $(TABLES) $(ANYWHERE) $(HARDEN_CFLAGS) $(CPPFLAGS) $(CFLAGS) \
	$(sort $(PKG_CFLAGS)) \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer \
	-fno-sanitize-recover=all)
ALL_LDFLAGS = $(CFLAGS) $(HARDEN_LDFLAGS) -Wl,--as-needed -Wl,--gc-sections \
	-Wl,--build-id \
	$(LDFLAGS) \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE))
PKG_CFLAGS = $(CURL_CFLAGS) $(CRYPTO_CFLAGS) $(SSL_CFLAGS) $(YAML_CFLAGS) \
	$(JQ_CFLAGS) $(PCRE2_CFLAGS) $(ZLIB_CFLAGS) $(NGHTTP2_CFLAGS) \
	$(SECCOMP_CFLAGS) $(HTTP_PARSER_CFLAGS) $(ZSTD_CFLAGS)

# Only the tools that talk to the API know libcurl; only ireconcile and kgen,
# libjq; kpipe has those of both in itself.
CLIENT_LIBS = $(CURL_LIBS) $(YAML_LIBS) $(CRYPTO_LIBS)
SERVER_LIBS = $(SSL_LIBS) $(CRYPTO_LIBS) $(HTTP_PARSER_LIBS) $(NGHTTP2_LIBS)
# Beside libzstd, which libcurl.a finds then.
CURL_ZSTD_LIBS = $(CURL_LIBS:%/curl_stubs.o=%/curl_zstd_stubs.o) $(ZSTD_LIBS)
LIBS_kwatch = $(CLIENT_LIBS)
LIBS_ireconcile = $(JQ_LIBS) $(YAML_LIBS) $(CRYPTO_LIBS) $(SECCOMP_LIBS) -lm
LIBS_kapply = $(CLIENT_LIBS)
LIBS_kstatus = $(CLIENT_LIBS)
LIBS_kwhy = $(ZSTD_LIBS) $(CRYPTO_LIBS)
LIBS_krecord = $(CURL_ZSTD_LIBS) $(YAML_LIBS) $(CRYPTO_LIBS) $(SECCOMP_LIBS)
LIBS_kelect = $(CLIENT_LIBS)
LIBS_kview = $(CURL_ZSTD_LIBS) $(YAML_LIBS) $(SERVER_LIBS) $(SECCOMP_LIBS)
LIBS_kgen = $(JQ_LIBS) $(YAML_LIBS) $(CRYPTO_LIBS) -lm
LIBS_kpipe = $(CURL_ZSTD_LIBS) $(YAML_LIBS) $(JQ_LIBS) $(SERVER_LIBS) $(SECCOMP_LIBS) -lm
LIBS_kpipe-http = $(CLIENT_LIBS) $(SERVER_LIBS) $(SECCOMP_LIBS)
LIBS_kapi = $(YAML_LIBS) $(PCRE2_LIBS) $(ZLIB_LIBS) $(SERVER_LIBS) -lm
# All that it plays: kpipe with its tools, and kapi.
LIBS_ktorture = $(CURL_ZSTD_LIBS) $(YAML_LIBS) $(JQ_LIBS) $(PCRE2_LIBS) $(ZLIB_LIBS) \
	$(SERVER_LIBS) $(SECCOMP_LIBS) -lm
LIBS_test = $(CURL_ZSTD_LIBS) $(YAML_LIBS) $(CRYPTO_LIBS) $(JQ_LIBS) $(PCRE2_LIBS) $(ZLIB_LIBS) \
	$(SERVER_LIBS) $(SECCOMP_LIBS) -lm

# The files of a folder, of its rooms, and of folders in these.
in = $(foreach f,$(2),$(wildcard $(addprefix $(1)/,$(f) */$(f) */*/$(f))))
LIB_OBJS := $(patsubst %.c,$(BUILD)/%.o,$(call in,lib,*.c))
TESTS := $(patsubst t/unit/%.c,$(BUILD)/t/%,$(wildcard t/unit/*/test-*.c))

PLAIN = lib/jq/plain/operator.jq
PLAIN_PARTS = $(patsubst %,lib/jq/plain/parts/%.jq,language sha256 yamltext \
	amounts call) $(patsubst %,lib/jq/%.jq,ready time values yaml operator)

.PHONY: all
all: $(MADE:%=$(BIN)/%) $(PLUGINS:%=$(BIN)/kubectl-%) $(PLAIN) $(if $(SANITIZE),$(BUILD)/share/kpipe/jq)
	@:

$(PLUGINS:%=$(BIN)/kubectl-%): $(BIN)/kubectl-%: $(BIN)/%
	@ln -sf $* $@
	@ln -sf $* $(@D)/kubectl_complete-$*

# The library in one file, for jq itself: what it includes is not passed on.
$(PLAIN): $(PLAIN_PARTS)
	@sed '/^include /d' $^ >$@.new && mv $@.new $@

# A tool finds the jq library beside its bin/.
VIRTUAL := $(BUILD)/virtual
$(BUILD)/share/kpipe/jq $(VIRTUAL)/share/kpipe/jq:
	@mkdir -p $(@D)
	@ln -sfnr lib/jq $@

# A change of flags or libraries rebuilds everything. $(1): into this file.
keep = mkdir -p $(@D); echo '$(subst ','\'',$(1))' | cmp -s - $@ || \
	echo '$(subst ','\'',$(1))' >$@
$(BUILD)/flags: FORCE
	@$(call keep,$(CC) $(filter-out $(ANYWHERE),$(ALL_CFLAGS)) $(ALL_LDFLAGS))
$(BUILD)/config.key: FORCE
	@$(call keep,$(CONFIGURE))
# The other libcurl: the tools are linked again.
$(BUILD)/curl: FORCE
	@$(call keep,$(CURL_LIBS))
.PHONY: FORCE
FORCE:

CONFIGURE = CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' CPPFLAGS='$(CPPFLAGS)' \
	CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' SANITIZE='$(SANITIZE)' \
	HTTP_PARSER='$(HTTP_PARSER)' CURL='$(CURL)' lib/configure
$(CONFIG): lib/configure lib/curl-stubs lib/base/platform.h $(BUILD)/config.key
	$(call short,CONF,$@)
	@$(CONFIGURE) >$@.new && mv $@.new $@

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call short,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/t/%.o: private ALL_CFLAGS += -DKPIPE_TEST -iquote t/unit -iquote t
# Rather small than fast: what runs once, or writes what people read.
SMALL = process/opt process/completion process/version base/nearest \
	value/duration record/opstate record/statusdiff
$(BUILD)/cmd/kwhy/%.o $(BUILD)/cmd/kgen/%.o $(SMALL:%=$(BUILD)/lib/%.o): private CFLAGS += -Os
# Most run for a few ms: to optimize them costs more.
$(BUILD)/t/unit/%.o: private CFLAGS += -O0 -U_FORTIFY_SOURCE
$(BUILD)/t/helpers/%.o: private ALL_CFLAGS += -iquote t/helpers
# Trees are kapi's.
$(BUILD)/t/helpers/kubectl/%.o $(BUILD)/t/fuzz/fuzztrees.o: \
	private ALL_CFLAGS += -iquote cmd/kapi

# Has both in it, by .incbin.
$(BUILD)/cmd/kapi/type/tables.o: $(wildcard cmd/kapi/type/*.txt)
$(BUILD)/cmd/kapi/builtin/ruleline.o: cmd/kapi/builtin/rules.txt
$(BUILD)/cmd/kapi/control/aggregation.o: cmd/kapi/control/roles.txt
$(BUILD)/cmd/kview/pagefile.o: $(wildcard cmd/kview/page/*)
# The same, by apiserver.c.
$(BUILD)/cmd/kapi/envtest/apiserver.o: cmd/kapi/envtest/flags.txt

# Apart from the library, so that a commit links the tools again, and nothing
# else.
$(BUILD)/commit.c: FORCE
	@$(call keep,extern const char version_commit[]$(comma) version_packages[]; \
	const char version_commit[] = "$(shell lib/commit)"; \
	const char version_packages[] = "$(shell lib/packages $(PACKAGES))";)
$(BUILD)/commit.o: $(BUILD)/commit.c $(BUILD)/flags
	@$(CC) $(ALL_CFLAGS) -c -o $@ $<

# What libcurl.a needs and never calls.
$(BUILD)/curl_zstd_stubs.c: private CURL_NEEDS += $(ZSTD_LIBS)
$(BUILD)/curl%stubs.c: lib/curl-stubs $(CURL_ARCHIVE) $(CONFIG)
	@CC='$(CC)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS) $(HARDEN_LDFLAGS)' \
		lib/curl-stubs $(CURL_ARCHIVE) $(CURL_NEEDS) >$@.new && mv $@.new $@
.SECONDARY: $(BUILD)/curl_stubs.c $(BUILD)/curl_zstd_stubs.c
$(BUILD)/curl%stubs.o: $(BUILD)/curl%stubs.c $(BUILD)/flags
	@$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/libkpipe.a: $(LIB_OBJS)
	@rm -f $@
	$(call short,AR,$@)
	$(Q)$(AR) rcs $@ $^

# Those of the files $(1) that are not named among libraries, behind them.
own = $(filter-out $(CURL_LIBS) $(CURL_ZSTD_LIBS),\
	$(filter %.o,$(1)) $(filter %.a,$(1)))

define TOOL
$(BUILD)/cmd/$(1)/%.o $(BUILD)/t/unit/$(1)/%.o: \
	private ALL_CFLAGS += -iquote cmd/$(1)
OBJS_$(1) := $(patsubst %.c,$(BUILD)/%.o,$(call in,cmd/$(1),*.c))
$(BIN)/$(1) $(VIRTUAL)/bin/$(1): $$(OBJS_$(1)) $(BUILD)/commit.o $(BUILD)/libkpipe.a \
	$$(filter %.o %.a,$$(LIBS_$(1))) $(BUILD)/curl
	@mkdir -p $$(@D)
	$$(call short,LD,$$@)
	$$(Q)$(CC) $(ALL_LDFLAGS) -o $$@.new $$(call own,$$^) $$(LIBS_$(1))
	@mv $$@.new $$@
endef
$(foreach t,$(TOOLS),$(eval $(call TOOL,$(t))))

# Tools that kpipe has in itself (cmd/kpipe/child/inside.h): their main under
# another name, and a table with the build ID of each. Not with sanitizers, which
# want a process that was executed.
INSIDE := $(if $(SANITIZE),,kwatch ireconcile kapply kstatus kelect \
	kpipe-http krecord kview)
READELF ?= readelf
PLAYED := $(if $(SANITIZE),,kpipe kapi)
define INSIDE_MAIN
$(BUILD)/cmd/$(1)/inside.o: private ALL_CFLAGS += -Dmain=$(subst -,_,$(1))_main \
	-Wno-missing-prototypes
$(BUILD)/cmd/$(1)/inside.o: cmd/$(1)/main.c $(BUILD)/flags
	@mkdir -p $$(@D)
	$$(call short,CC,$$<)
	$$(Q)$(CC) $$(ALL_CFLAGS) -MMD -MP -c -o $$@ $$<
$(2): $(BUILD)/cmd/$(1)/inside.o $(filter-out %/main.o,$(OBJS_$(1)))
endef
$(foreach t,$(INSIDE),$(eval $(call INSIDE_MAIN,$(t),$(BIN)/kpipe $(VIRTUAL)/bin/kpipe $(BIN)/ktorture)))
$(foreach t,$(PLAYED),$(eval $(call INSIDE_MAIN,$(t),$(BIN)/ktorture)))
$(BUILD)/cmd/kpipe/child/inside.o: $(BUILD)/inside/inside.inc
$(BUILD)/cmd/kpipe/child/inside.o: private ALL_CFLAGS += -I$(BUILD)/inside
$(BUILD)/inside/inside.inc: $(INSIDE:%=$(BIN)/%)
	@mkdir -p $(@D)
	@for t in $(INSIDE); do \
		echo "INSIDE(\"$$t\", $$(echo $$t | tr - _)_main, \"$$( \
			$(READELF) -n $(BIN)/$$t | \
			sed -n '/.*Build ID: /{s///;s/../\\x&/g;p;}')\")"; \
	done >$@.new
	@mv $@.new $@

# For tests: tools with a virtual clock (t/clock/README). virtual.o defines what
# a module of the library does, which is left out then. kpipe is the others, too,
# under their names.
.PHONY: virtual
virtual: $(VIRTUAL)/bin/kapi $(VIRTUAL)/bin/kpipe $(VIRTUAL)/share/kpipe/jq
	@ln -sf $(foreach t,$(filter-out kapi kpipe $(INSIDE),$(MADE)),\
		$(abspath $(BIN)/$(t))) $(VIRTUAL)/bin
	@for t in $(INSIDE); do ln -sf kpipe $(VIRTUAL)/bin/$$t; done
$(BUILD)/t/clock/map.o: private ALL_CFLAGS += -iquote cmd/ktorture
$(VIRTUAL)/bin/kapi $(VIRTUAL)/bin/kpipe: $(BUILD)/t/clock/map.o \
	$(BUILD)/cmd/ktorture/clock/virtual.o

# What a program does not call of a tool is left out of it.
define ARCHIVE
$(BUILD)/cmd/$(1).a: $(filter-out %/main.o,$(OBJS_$(1)))
	@rm -f $$@
	$$(call short,AR,$$@)
	$$(Q)$(AR) rcs $$@ $$^
endef
$(foreach t,$(TOOLS),$(eval $(call ARCHIVE,$(t))))

# The unit tests of a folder are one program, which runs the one that it is
# called by the name of: linked alone, each would cost as much. One that says
# "// alone: why", because it has a function in place of one of the tool, is
# linked alone.
ALONE := $(patsubst t/unit/%.c,$(BUILD)/t/%,\
	$(shell grep -l '^// alone: ' t/unit/*/test-*.c))
define UNITS
$(BUILD)/t/unit/$(1)/%.o: private ALL_CFLAGS += \
	-Dmain=$$(subst -,_,$$(notdir $$*))_main
$(BUILD)/t/$(1)/tests: $(2:$(BUILD)/t/%=$(BUILD)/t/unit/%.o)
$(2): $(BUILD)/t/$(1)/tests
	@ln -sf tests $$@
$(foreach t,$(3),$(eval $(t): $(t:$(BUILD)/t/%=$(BUILD)/t/unit/%.o)))
$(BUILD)/t/$(1)/tests $(3): $(BUILD)/t/unit/tests.o \
	$(if $(filter $(1),$(TOOLS)),$(BUILD)/cmd/$(1).a) $(BUILD)/libkpipe.a \
	$(filter %.o %.a,$(LIBS_test)) $(BUILD)/curl
	@mkdir -p $$(@D)
	$$(call short,LD,$$@)
	$$(Q)$(CC) $(ALL_LDFLAGS) -o $$@ $$(call own,$$^) $(LIBS_test)
endef
$(foreach d,$(patsubst t/unit/%/,%,$(wildcard t/unit/*/)),\
	$(eval $(call UNITS,$(d),$(filter-out $(ALONE),\
	$(filter $(BUILD)/t/$(d)/%,$(TESTS))),\
	$(filter $(BUILD)/t/$(d)/%,$(ALONE)))))

# Fuzzers and helpers name the files of a tool that they need: "// needs
# cmd/x/y.c", or "// needs cmd/x/y/*.c".
NEEDS := $(shell awk '/^\/\/ needs / { for (i = 3; i <= NF; i++) \
	print FILENAME "!" $$i }' t/fuzz/fuzz-*.c $(wildcard t/helpers/*.c))
needs = $(patsubst %.c,$(BUILD)/%.o,\
	$(wildcard $(patsubst $(1)!%,%,$(filter $(1)!%,$(NEEDS)))))

# Fuzzers run in the sanitized build, and name files of a tool. What a
# fuzzer of a tool needs tells it where headers are. t/0971-fuzz-patch.sh builds
# its own.
FUZZERS := $(patsubst t/fuzz/%.c,$(BUILD)/t/%,\
	$(filter-out %/fuzz-patch.c,$(wildcard t/fuzz/fuzz-*.c)))
define FUZZER
$(BUILD)/t/fuzz/$(1).o: private ALL_CFLAGS += -iquote cmd/$(firstword \
	$(subst /, ,$(2:$(BUILD)/cmd/%=%)))
$(BUILD)/t/$(1): $(BUILD)/t/fuzz/$(1).o $(filter-out %/main.o,$(2)) \
	$(BUILD)/libkpipe.a $(filter %.o %.a,$(LIBS_test)) $(BUILD)/curl
	$$(call short,LD,$$@)
	$$(Q)$(CC) $(ALL_LDFLAGS) -o $$@ $$(call own,$$^) $$(LIBS_test)
endef
$(foreach f,$(FUZZERS:$(BUILD)/t/%=%),\
	$(eval $(call FUZZER,$(f),$(call needs,t/fuzz/$(f).c))))

# Programs that shell tests call all the time, instead of slow ones that do the
# same (t/helpers/README). With the libraries in them, where those can be linked
# so, they start in half the time.
HELPERS := $(patsubst t/helpers/%.c,$(BUILD)/t/bin/%,$(wildcard t/helpers/*.c))
# LIBS_helper_<name>: of one that needs other libraries than unit tests
LIBS_helper_jq = $(JQ_LIBS)
LIBS_helper_kubectl = $(CLIENT_LIBS)
LIBS_helper_curl = $(CLIENT_LIBS)
LIBS_helper_clock = -lm
helper_libs = $(or $(LIBS_helper_$(1)),$(LIBS_test))
define HELPER
$(BUILD)/t/helpers/$(1).o: private ALL_CFLAGS += $(addprefix -iquote cmd/,\
	$(firstword $(subst /, ,$(patsubst $(BUILD)/cmd/%,%,\
	$(filter $(BUILD)/cmd/%,$(2))))))
$(BUILD)/t/bin/$(1): $(BUILD)/t/helpers/$(1).o $(2) $(BUILD)/libkpipe.a \
	$(filter %.o %.a,$(call helper_libs,$(1))) $(BUILD)/curl
	@mkdir -p $$(@D)
	$$(call short,LD,$$@)
	$$(Q)$(CC) $(ALL_LDFLAGS) -no-pie -o $$@.new $$(call own,$$^) \
		-Wl,-Bstatic $$(call helper_libs,$(1)) -Wl,-Bdynamic \
		2>/dev/null || $(CC) $(ALL_LDFLAGS) -o $$@.new \
		$$(call own,$$^) $$(call helper_libs,$(1))
	@mv $$@.new $$@
endef
$(foreach h,$(HELPERS:$(BUILD)/t/bin/%=%),\
	$(eval $(call HELPER,$(h),$(call needs,t/helpers/$(h).c))))

# What python3 in PATH is, in the end: one that chooses a version is slow. With
# a link in its place a virtual environment would hang on this tree.
$(BUILD)/t/bin/python3: Makefile
	@mkdir -p $(@D)
	$(Q)python=$$(python3 -c 'import sys; print(sys.executable)') && \
		printf '#!/bin/sh\nexec "%s" "$$@"\n' "$$python" >$@.new && \
		chmod +x $@.new
	@mv $@.new $@

.PHONY: unit-tests
unit-tests: $(TESTS) virtual $(if $(SANITIZE),$(FUZZERS),\
	$(HELPERS) $(BUILD)/t/bin/python3)

.PHONY: check-unit
check-unit: $(TESTS)
	prove $(TESTS)

# A shell test says at its head where it runs, and when (t/README.md). One for
# both servers runs as t/NNNN-x.sh on kapi, as build/real/NNNN-x.sh on the real
# one (t/exec).
SHELL_TESTS := $(wildcard t/[0-9]*.sh)
saying = $(shell grep -lE '^# $(1)' $(SHELL_TESTS))
ON_BOTH := $(call saying,servers: kapi real)
ON_REAL := $(ON_BOTH:t/%=build/real/%)
# What a release needs, not every change: it runs again what has run here, on
# other systems, whose archives change by themselves, or on the other server; or
# it takes longest. RELEASE=no: without it. A test for both servers then runs on
# kapi; on the real one, too, if its head has a reason for that.
ONLY_KAPI := $(filter-out $(patsubst t/%,build/real/%,\
	$(call saying,servers: kapi real: )),$(ON_REAL))
FOR_RELEASE := $(call saying,check-all: (a bare machine|other Debians|valgrind)) \
	$(wildcard t/7105*.sh t/7110*.sh t/7140*.sh t/7410*.sh t/7420*.sh \
	t/0910*.sh t/849[0246]*.sh t/9800*.sh t/9910*.sh t/9970*.sh) $(ONLY_KAPI)
NOT_NOW = $(if $(filter no,$(RELEASE)),$(FOR_RELEASE))
LATER := $(sort $(call saying,servers: real) $(call saying,check-all: ))
QUICK_TESTS = $(filter-out $(LATER),$(SHELL_TESTS)) $(TESTS)
LATER_TESTS = $(TESTS:build/%=build-sanitize/%) \
	$(filter-out $(NOT_NOW),$(LATER) $(ON_REAL))
build/real/%.sh: t/%.sh
	@mkdir -p $(@D)
	@ln -sf $(CURDIR)/$< $@

# make check T=kapply: only those with that in their name.
T =
chosen = $(strip $(foreach t,$(1),$(if $(or $(if $(T),,all),\
	$(findstring $(T),$(t:build/t/%=%))),$(t))))
PROVE := prove --exec t/exec --timer --failures --comments
# Most tests wait most of their time; those of make check-all have a control
# plane of Go each. JOBS=N: another number.
AT_ONCE = 6
check-all check-cluster: AT_ONCE = 5
prove = $(if $(call chosen,$(1)),\
	$(PROVE) -j$(or $(JOBS),$(AT_ONCE)) $(call chosen,$(1)),\
	echo "no test of this target has '$(T)' in its name: make check-all," \
	"or t/exec t/NNNN-x.sh"; false)

# left_out TESTS: why they are not run here
left_out = sed -n 's/^\# check-all: //p; s/^\# servers: .*real.*/the real API server/p' \
		$(sort $(1)) | sort | uniq -c | sort -rn | \
		awk '{ $$1 = $$1; printf "%s%s", n++ ? ", " : "left out: ", $$0 } \
		END { print ": make check-all" }'

# What a newcomer runs: everything that needs only what t/install-packages
# installs, and no patience.
.PHONY: check
check check-all: export COSTS = $(abspath $(BUILD)/costs)
check:
	t/install-packages
	$(MAKE) --no-print-directory all unit-tests
	@rm -rf $(COSTS) && mkdir -p $(COSTS)
	@$(call prove,$(QUICK_TESTS)); code=$$?; t/dearest $(COSTS); \
	$(call left_out,$(LATER) $(ON_BOTH)); exit $$code

# Everything. What computes all the time runs two at once and lets the rest go
# first (t/exec), which waits most of its time. Of that first what needs no Go,
# so that nobody waits while .ci/run has the control plane built, then what takes
# longest, then the rest. prove begins tests that are in no seq before those that are in one,
# wherever they stand: so each is in one of its own.
# CHECKED=1: but what make check runs, for that has run.
.PHONY: check-all
check-all: export COMPUTING_TESTS = $(COMPUTING)
# A fuzzer tries the same inputs each time; a release takes its longer time.
check-all: export FUZZ_SECONDS ?= $(if $(NOT_NOW),3)
check-all: $(ON_REAL)
	t/install-packages all
	$(MAKE) --no-print-directory all unit-tests
	$(MAKE) --no-print-directory all unit-tests SANITIZE=address,undefined
	@rm -rf $(COSTS) && mkdir -p $(COSTS)
	@$(call prove,$(COMPUTING) $(WAITING)); code=$$?; t/dearest $(COSTS)$(if \
		$(NOT_NOW),; $(call left_out,$(filter-out build/real/%,$(NOT_NOW))); \
		echo "on kapi alone: $(words $(ONLY_KAPI)) tests that can run on both"); \
	exit $$code
check-all: PROVE += $(call one_by_one,$(filter t/09%,$(COMPUTERS))) \
	$(call one_by_one,$(filter-out t/09%,$(COMPUTERS))) \
	$(WAITING:%=--rules seq=%)
one_by_one = --rules 'seq={$(subst $(space),$(comma),$(strip $(1)))}'
comma := ,
space := $(subst ,, )
COMPUTERS := $(filter-out $(NOT_NOW),$(call saying,check-all: (a bare \
	machine|another libjq|fuzzers|images|linters|other \
	Debians|packages|sanitizers|valgrind)))
LONG = t/0990% t/0993% t/0994% t/742% t/0910% t/0920%
COMPUTING = $(filter $(LONG),$(COMPUTERS)) $(filter-out $(LONG),$(COMPUTERS))
FIRST = $(wildcard t/8200*.sh) $(TESTS:build/%=build-sanitize/%) \
	$(filter-out t/8200% $(NOT_NOW),$(call saying,check-all: (containers|long \
	faults|more of|mounts|needs root))) \
	$(filter-out $(NOT_NOW),$(wildcard t/9910*.sh t/9800*.sh t/9970*.sh))
# Minutes on a node, each
SLOWEST = $(filter-out $(NOT_NOW),$(wildcard t/7310*.sh t/7220*.sh t/7230*.sh \
	t/7311*.sh))
WAITING = $(FIRST) $(SLOWEST) $(filter-out $(COMPUTERS) $(FIRST) $(SLOWEST),\
	$(if $(CHECKED),,$(QUICK_TESTS)) $(LATER_TESTS))

.PHONY: check-cluster
check-cluster: all $(ON_REAL)
	@$(call prove,$(call saying,servers: real) $(ON_REAL))

# make flaky N=20: does a test that a change touches fail now and then? (t/flaky)
# T=kapply: those with that in their name, of all.
.PHONY: flaky
flaky: N = 20
flaky: all unit-tests
	@$(if $(call chosen,$(SHELL_TESTS) $(TESTS)),,\
		echo "no test has '$(T)' in its name"; exit 1;) \
	t/flaky $(N) $(if $(T),$(call chosen,$(SHELL_TESTS) $(TESTS)))

# kill -9 at ten seeded points of each stage instead of one, on the real API server.
.PHONY: kill-points
kill-points: all
	POINTS=10 $(PROVE) t/9800-kill.sh

# Kubernetes' own tests of an API server, on kapi; SERVER=real: on the real one;
# FOCUS='\[sig-apps\]': others.
.PHONY: conformance
conformance: all
	t/conformance/run $(or $(SERVER),kapi) $(if $(FOCUS),'$(FOCUS)')

.PHONY: bench
bench: all
	@for b in t/bench/*.sh; do echo "$$b" && $$b || exit 1; done

# The same operator with other frameworks (t/bench/peers/README.md):
# make bench-peers PEERS='ours go' ROUNDS=1 N=50, or SIZES=100,1000,10000
PEERS_OUT = $(BUILD)/peers$(if $(SIZES),-sizes).json
.PHONY: bench-peers
bench-peers: all
	@BIN='$(abspath $(BIN))' t/bench/peers/run --out $(PEERS_OUT) \
		$(if $(PEERS),--peers '$(PEERS)') \
		$(if $(ROUNDS),--rounds '$(ROUNDS)') \
		$(if $(N),--objects '$(N)') $(if $(SIZES),--sizes '$(SIZES)')
	@$(if $(SIZES),t/bench/plot $(PEERS_OUT) >$(BUILD)/peers.svg)

# Also make demo OPERATOR=iotservice: one of pipeline/; CLUSTER=real.
.PHONY: demo demo-tools
demo:
	@t/demo $(or $(CLUSTER),kapi) $(OPERATOR)
# Without a kubectl.
demo-tools: all $(BUILD)/t/bin/kubectl
	@:

# doc/demo.cast and its picture, doc/demo.svg
.PHONY: cast
cast: demo-tools
	t/cast record doc/demo.cast
	t/cast draw doc/demo.cast >doc/demo.svg

# doc/kview.png
.PHONY: screenshot
screenshot: all
	t/screenshot

STYLED = $(call in,lib,*.[ch]) $(call in,cmd/*,*.[ch]) $(call in,t/unit,*.[ch]) \
	$(wildcard t/fuzz/*.[ch] t/bench/*.c t/stub/*.c t/clock/*.[ch] t/helpers/*.[ch] \
	t/helpers/*/*.[ch])
# What recorded events must give, written anew: read the difference.
.PHONY: accept
accept: all
	ACCEPT=1 bash t/6000-iotservice.sh
	ACCEPT=1 bash t/6020-memcached.sh
	ACCEPT=1 bash t/6030-experimental.sh
	ACCEPT=1 bash t/6041-cronjob.sh
	ACCEPT=1 bash t/6400-at.sh

.PHONY: style
style:
	@clang-format --dry-run -Werror $(STYLED)

.PHONY: check-layers
check-layers:
	t/check-layers

# deploy/NAME, from the folder of each operator: for kubectl, Helm and OLM. Only
# deploy/at is in the tree.
DEPLOY ?= deploy
OPERATORS := $(patsubst pipeline/%/operator.yaml,%,\
	$(wildcard pipeline/*/operator.yaml))
.PHONY: manifests
manifests: $(OPERATORS:%=manifests-%)
manifests-%: $(BIN)/kgen
	@$(BIN)/kgen manifests -f pipeline/$* -o $(DEPLOY)/$*
	@$(BIN)/kgen chart -f pipeline/$* -o $(DEPLOY)/$*/chart
	@$(BIN)/kgen bundle -f pipeline/$* -o $(DEPLOY)/$*/bundle

# Dashboard and alerts for all operators: the files that are made of others.
.PHONY: monitoring
monitoring:
	@deploy/monitoring/generate

# make deploy PIPELINE=at [IMG=registry.example.com/at-operator:TAG], in the cluster
# of kubectl; make undeploy PIPELINE=at. NAMESPACE, SCOPE, CONFIRM: deploy/README
.PHONY: deploy undeploy
deploy undeploy: $(BIN)/kgen $(BIN)/ireconcile
	@test -e 'pipeline/$(PIPELINE)/operator.yaml' || { echo "make $@:" \
		"PIPELINE=NAME must be a folder in pipeline/ with an operator.yaml" >&2; \
		exit 100; }
	@KGEN=$(BIN)/kgen deploy/$@ pipeline/$(PIPELINE)

# make run OPERATOR=at PLAYGROUND=1 ARGS=...: an operator of pipeline/ on an API
# server of its own, with its page, until Ctrl-C (deploy/run)
.PHONY: run
run: all
	@test -e 'pipeline/$(OPERATOR)/watches.yaml' -a -n '$(OPERATOR)' || { \
		echo "make run: OPERATOR=NAME must be a folder in pipeline/" >&2; \
		exit 100; }
	@PATH='$(abspath $(BIN))':"$$PATH" OUT=$(or $(OUT),$(BUILD)/run/$(OPERATOR)) \
		exec deploy/run pipeline/$(OPERATOR) $(ARGS)

# make torture OPERATOR=at SECONDS=60 SEED=1 ARGS=...: an operator of pipeline/
# under every fault (doc/torture.md)
.PHONY: torture
torture: $(BIN)/ktorture
	@test -e 'pipeline/$(OPERATOR)/watches.yaml' -a -n '$(OPERATOR)' || { \
		echo "make torture: OPERATOR=NAME must be a folder in pipeline/" >&2; \
		exit 100; }
	@PATH='$(abspath $(BIN))':"$$PATH" \
		exec ktorture -f pipeline/$(OPERATOR)/watches.yaml \
		$(SECONDS:%=--seconds=%) $(SEED:%=--seed=%) \
		$(OLD:%=--old=%/watches.yaml) $(ARGS)

# Where systemd looks for units with this PREFIX.
UNITDIR ?= $(PREFIX)/lib/systemd/system
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
INSTALLER = DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' BIN='$(BIN)' \
	PLUGINS='$(PLUGINS)' \
	VERSION='$(VERSION)' UNITDIR='$(UNITDIR)' ZSHDIR='$(ZSHDIR)' lib/install
.PHONY: install uninstall
install: all
	$(INSTALLER)
uninstall:
	$(INSTALLER) --remove

# The commit, not the files of this folder. The same bytes each time.
DIST = build/kpipe-$(VERSION).tar.gz
.PHONY: dist deb
dist:
	@git diff-index --quiet HEAD -- || \
		echo "make dist: changes that are not committed are not in it" >&2
	@mkdir -p $(dir $(DIST))
	git -c tar.umask=0022 archive --format=tar \
		--prefix=kpipe-$(VERSION)/ HEAD | gzip -9n >$(DIST).new
	@mv $(DIST).new $(DIST)
deb: dist
	deploy/debian/build $(DIST) build/deb

.PHONY: version
version:
	@echo $(VERSION)

# An image of an operator (deploy/image/README), and its way to a registry.
# make image PIPELINE=at [IMG=localhost/at:1] [ARCH="amd64 arm64"]
PIPELINE ?= memcached
.PHONY: image
image: all
	deploy/image/build $(IMG:%=-t %) pipeline/$(PIPELINE) \
		$(BUILD)/image/$(PIPELINE).tar

# The image of kpipe alone, for operators whose programs are in a ConfigMap: made,
# and pushed if KPIPE_IMG names it.
.PHONY: kpipe-image
kpipe-image: all
	deploy/image/build $(KPIPE_IMG:%=-t %) - $(BUILD)/image/kpipe.tar
	$(if $(KPIPE_IMG),deploy/image/push $(BUILD)/image/kpipe.tar $(KPIPE_IMG))

.PHONY: push
push:
	deploy/image/push $(BUILD)/image/$(PIPELINE).tar $(IMG)

.PHONY: clean
clean:
	rm -rf bin build build-sanitize $(PLAIN)

ifneq ($(BUILDS),)
-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
endif
