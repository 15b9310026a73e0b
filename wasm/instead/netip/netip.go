// Package netip stands in for net/netip in the page's program, as static/pack builds it. Reading whole addresses needs
// it in net/url, and the page's program only reads queries. This package refuses.
package netip

import "errors"

// Addr is no address.
type Addr struct{}

// ParseAddr refuses.
func ParseAddr(string) (Addr, error) { return Addr{}, errors.ErrUnsupported }

// Is4 reports false.
func (Addr) Is4() bool { return false }
