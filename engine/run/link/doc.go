// Package link reads and writes links to a moment of a run: what Share copies on a page, what explore and fork print,
// and what viz-server open takes.
//
// A link is the address of a page with parameters. The page's own say what is run: a lesson's slug and the faults that
// led to a branch, or in the Lab a scenario as engine/run writes it. The others say what to show of it, and are this
// package's: the place, with a hash of the events up to it; what is selected; the run beside it; the file that must be
// opened. So old links open for as long as nobody takes a name away.
//
// It runs nothing and knows no browser. wasm/bridge, the Lab's page, engine/run/explore and the command line call it.
package link
