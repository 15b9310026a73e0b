package lua

import (
	"math"
	"strconv"
	"strings"
)

// A value is nil, a bool, a float64, a string, a *table, a *function or a *builtin.
type value = any

// function is a closure.
type function struct {
	*proto
	ups []*cell
}

// cell is a variable shared by closures.
type cell struct{ v value }

// builtin is a function that comes with Lua.
type builtin struct {
	name string
	do   func(c *args) []value
}

func typeOf(v value) string {
	switch v.(type) {
	case nil:
		return "nil"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case *table:
		return "table"
	}
	return "function"
}

func truth(v value) bool {
	b, is := v.(bool)
	return v != nil && (!is || b)
}

// parseNumber parses a number as strtod does.
func parseNumber(s string) (float64, bool) {
	s = strings.Trim(s, " \t\n\v\f\r")
	if s == "" || strings.ContainsAny(s, "_pP") {
		return 0, false
	}
	digits := strings.TrimLeft(s, "+-")
	if len(digits) > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') {
		if len(s)-len(digits) > 1 {
			return 0, false
		}
		n, err := strconv.ParseUint(digits[2:], 16, 64)
		if err != nil {
			return 0, false
		}
		if s[0] == '-' {
			return -float64(n), true
		}
		return float64(n), true
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(n, 0) {
		return 0, false
	}
	return n, true
}

// number converts a value to a number, if it is one or a string that contains one.
func number(v value) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case string:
		return parseNumber(v)
	}
	return 0, false
}

// formatNumber formats a number as printf does with %.14g, or another precision.
func formatNumber(n float64, precision int) string {
	switch {
	case math.IsNaN(n) && math.Signbit(n):
		return "-nan"
	case math.IsNaN(n):
		return "nan"
	case math.IsInf(n, 1):
		return "inf"
	case math.IsInf(n, -1):
		return "-inf"
	case n == math.Trunc(n) && math.Abs(n) < 1e14 && (n != 0 || !math.Signbit(n)):
		return strconv.FormatInt(int64(n), 10)
	}
	return strconv.FormatFloat(n, 'g', precision, 64)
}

// text converts a value to a string, if it is one or a number.
func text(v value) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case float64:
		return formatNumber(v, 14), true
	}
	return "", false
}

// integer converts a number to an integer, as C does on most machines.
func integer(n float64) int64 {
	if !(n >= math.MinInt64 && n < math.MaxInt64) {
		return math.MinInt64
	}
	return int64(n)
}
