// Package godebug stands in for internal/godebug in the page's program, as static/pack builds it. Its settings come
// from an environment variable, which pages haven't, and it counts how often they matter. This package has the
// defaults.
package godebug

// Setting has no value.
type Setting struct{}

// New returns a setting.
func New(string) *Setting { return &Setting{} }

// Value returns that of a setting that nobody has set.
func (*Setting) Value() string { return "" }

// IncNonDefault does nothing.
func (*Setting) IncNonDefault() {}
