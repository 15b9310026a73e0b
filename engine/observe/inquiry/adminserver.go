package inquiry

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
	"github.com/zkviz/zkviz/engine/zookeeper/admin"
)

// AdminServer sends requests to a server's AdminServer.
type AdminServer struct {
	client *http.Client
	base   string // ends with a slash
}

// commands is the default path of an AdminServer's commands.
const commands = "/commands/"

// NotServing is the key of the sentence about a server that serves nobody.
const NotServing = "sessions.not-serving"

// maxError is how many bytes of an AdminServer's own error are kept.
const maxError = 128

// ParseAdmin parses the URL of an AdminServer, such as http://zk1:8080. The error is a sentence.
func ParseAdmin(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" {
		return nil, sentence.Error("bad.admin-server")
	}
	if u.Path = strings.TrimSuffix(u.Path, "/") + "/"; u.Path == "/" {
		u.Path = commands
	}
	return u, nil
}

// NewAdminServer returns an AdminServer for a URL from ParseAdmin. It follows no redirection.
func NewAdminServer(base *url.URL, secure *tls.Config) *AdminServer {
	return &AdminServer{base: base.String(), client: &http.Client{
		Transport:     &http.Transport{TLSClientConfig: secure, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Ask decodes a command's answer into a value. A field of the wrong type is an error. Every error is a sentence, which
// wraps another error only if the server didn't answer at all.
func (a *AdminServer) Ask(ctx context.Context, command string, into any) error {
	wrong := func(err error) error {
		return sentence.Wrap(err, "sessions.admin", sentence.Text(a.base), sentence.Text(command))
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base+command, nil)
	if err != nil {
		return wrong(err)
	}
	response, err := a.client.Do(r)
	if err != nil {
		return wrong(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, MaxAnswer))
	switch {
	case err != nil:
		return wrong(err)
	case response.StatusCode != http.StatusOK:
		return sentence.Error("sessions.admin.status", sentence.Text(a.base), sentence.Text(command),
			sentence.Number(response.StatusCode))
	case len(body) == MaxAnswer:
		return sentence.Error("sessions.admin.long", sentence.Text(a.base), sentence.Text(command),
			sentence.Number(MaxAnswer>>20))
	}
	return a.read(command, body, into)
}

// read decodes an answer.
func (a *AdminServer) read(command string, body []byte, into any) error {
	var said struct {
		Command string
		Error   *string
	}
	if json.Unmarshal(body, &said) != nil || said.Command == "" || json.Unmarshal(body, into) != nil {
		return sentence.Error("sessions.admin.stranger", sentence.Text(a.base), sentence.Text(command))
	}
	if said.Error != nil && !access.Serves(*said.Error) {
		return sentence.Error(NotServing, sentence.Text(a.base))
	}
	if said.Error != nil {
		return sentence.Error("sessions.admin.refused", sentence.Text(a.base), sentence.Text(command),
			sentence.Text(Plain(*said.Error, maxError)))
	}
	return nil
}

// Figures asks for what mntr tells, too.
func (a *AdminServer) Figures(ctx context.Context) (admin.Figures, error) {
	var said map[string]json.RawMessage
	if err := a.Ask(ctx, "monitor", &said); err != nil {
		return admin.Figures{}, err
	}
	return admin.Monitored(said), nil
}
