// Package tidy holds the code to rules that a compiler does not know: who may import whom, how long lines, files and
// functions are, where goroutines start and clocks are read, and which words are used. Only tests.
package tidy
