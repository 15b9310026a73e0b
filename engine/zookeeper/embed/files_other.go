//go:build !unix

package embed

func maxFiles() uint64 { return 0 }
