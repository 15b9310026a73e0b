package main

import "testing"

// TestBytesOf parses sizes, and refuses invalid ones.
func TestBytesOf(t *testing.T) {
	for text, want := range map[string]int64{"1GB": 1e9, "68MB": 68e6, " 2 tb ": 2e12, "": 0, "1": 0, "GB": 0, "-1GB": 0,
		"67MB": 0, "1.5GB": 0, "9999999999999999999TB": 0, "1000001TB": 0} {
		if got, err := parseSize(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}
