package classes

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rsc.io/qr"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/front"
	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/body"
	"github.com/zkviz/zkviz/engine/run/class"
)

// address returns the learners' absolute address of a class: by the name that the request has for this server.
func (s *Pages) address(r *http.Request, name string) string { return s.addressAt(r, r.Host, name) }

func (s *Pages) addressAt(r *http.Request, host, name string) string {
	u := front.Address(r, s.at(r, name))
	u.Host = host
	return u.String()
}

// maxOthers is how many addresses of this machine a page names.
const maxOthers = 6

// others reports whether a request has come to an address that leads each machine to itself. Then it returns the
// addresses of a class for other machines, if the server listens on them.
func (s *Pages) others(r *http.Request, name string) (all []string, loopback bool) {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	if ip := net.ParseIP(host); !strings.EqualFold(host, "localhost") && !(ip != nil && ip.IsLoopback()) {
		return nil, false
	}
	listens, _, _ := net.SplitHostPort(s.cfg.Addr)
	if ip := net.ParseIP(listens); listens != "" && !(ip != nil && ip.IsUnspecified()) {
		return nil, true
	}
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		port = strconv.Itoa(at.Port)
	}
	for _, ip := range s.machine() {
		all = append(all, s.addressAt(r, net.JoinHostPort(ip.String(), cmp.Or(port, "80")), name))
	}
	return all, true
}

// machine returns this machine's addresses that others may reach, those of IPv4 first.
func (s *Pages) machine() (all []netip.Addr) {
	found, _ := s.cfg.Machine() // without any, the page says how to listen at one
	for _, a := range found {
		p, err := netip.ParsePrefix(a.String())
		if ip := p.Addr().Unmap(); err == nil && ip.IsGlobalUnicast() {
			all = append(all, ip)
		}
	}
	slices.SortStableFunc(all, func(a, b netip.Addr) int { return cmp.Compare(a.BitLen(), b.BitLen()) })
	return all[:min(len(all), maxOthers)]
}

// serveCode answers with the QR code of a class's address.
func (s *Pages) serveCode(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if _, err := s.hall.Find(r.Context(), name); errors.Is(err, class.ErrNone) {
		s.cfg.Site.NotFound(w, r)
		return
	} else if err != nil {
		s.cfg.Site.Refuse(w, r, http.StatusServiceUnavailable, err)
		return
	}
	code, err := qr.Encode(s.address(r, name), qr.M)
	if err != nil {
		s.cfg.Site.Failed(w, r, err)
		return
	}
	body.New("image/svg+xml", codeSVG(code), body.Quick).Serve(w, r, body.AskAgain)
}
