//go:build !unix

package web

// filesLimit is how many files the process may have open, connections included; 0 if that is not known.
func filesLimit() int { return 0 }
