
Stability attributes for script leftwhy\.d:

	Minimum Probe Description Attributes
		Identifier Names: Private
		Data Semantics:   Private
		Dependency Class: ISA

	Minimum Statement Attributes
		Identifier Names: Stable
		Data Semantics:   Stable
		Dependency Class: Common

800

dtrace: engine kernel: 2 clauses, 12 probes: -x engine=kernel
dtrace: kernel: left out: instr\d+:kinds:mixed:lock-e: it steps no such instruction \(lock, AVX, trap\)
