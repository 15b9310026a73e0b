// Package tidy checks rules that a compiler doesn't know: which packages may import which, how long lines, files and
// functions are, where goroutines start and clocks are read, and which words are used. It has only tests.
package tidy
