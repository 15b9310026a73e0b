//go:build !(js && wasm)

package main

import "os"

func main() {
	os.Stderr.WriteString("This program runs in a browser: make run\n")
	os.Exit(1)
}
