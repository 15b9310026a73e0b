// Package constraint stands in for go/build/constraint in the page's program, as static/pack builds it. Ebiten's
// shaders are parsed as Go, where a line may say for which builds a file is. Shaders have no such lines, and this
// package refuses them.
package constraint

import "errors"

// Expr is nothing.
type Expr any

// Parse refuses.
func Parse(string) (Expr, error) { return nil, errors.ErrUnsupported }

// GoVersion is never called, since there is no Expr.
func GoVersion(Expr) string { return "" }
