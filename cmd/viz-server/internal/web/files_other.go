//go:build !unix

package web

// filesLimit returns the maximum number of open files, including connections; 0 if it is unknown.
func filesLimit() int { return 0 }
