package site

import (
	"net/http"
	"testing"

	"github.com/zkviz/zkviz/engine/run/room"
)

func TestClientIsTheAddress(t *testing.T) {
	for _, c := range []struct {
		remote string
		want   room.ClientKey
	}{
		{"192.0.2.7:4711", "192.0.2.7"},
		{"[::ffff:192.0.2.7]:4711", "192.0.2.7"},
		{"[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1:2::/64"},
		{"[2001:db8:1:2:ffff::1]:80", "2001:db8:1:2::/64"},
		{"[fe80::1%eth0]:80", "fe80::/64"},
		{"@", "@"},
	} {
		r := &http.Request{RemoteAddr: c.remote, Header: http.Header{"X-Forwarded-For": {"203.0.113.9"}}}
		if got := ClientOf(r); got != c.want {
			t.Errorf("%s counts as %s, want %s", c.remote, got, c.want)
		}
	}
}
