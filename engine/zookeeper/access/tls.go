package access

import (
	"crypto/tls"
	"crypto/x509"
	"os"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Files says whether to use TLS, and names the PEM files for it. Each name may be empty.
type Files struct {
	On         bool   // even if no file is named
	CA         string // the authority of the servers' certificates; the system's authorities if empty
	Cert, Key  string // the client's own
	ServerName string // the name in the servers' certificates, if it isn't the dialled host
	Names      Names
}

// Config reads the files. It returns nil if TLS is off and no file is named. The error is a sentence that reveals
// none of the files' content.
func (f Files) Config() (*tls.Config, error) {
	if (f == Files{Names: f.Names}) {
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: f.ServerName}
	if f.CA != "" {
		pem, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, sentence.Wrap(err, "bad.tls.read", f.Names.of("tls-ca"))
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, sentence.Error("bad.tls.ca", sentence.Quote(f.CA))
		}
	}
	switch {
	case f.Cert == "" && f.Key == "":
		return cfg, nil
	case f.Cert == "":
		return nil, sentence.Error("bad.tls.pair", f.Names.of("tls-key"), f.Names.of("tls-cert"))
	case f.Key == "":
		return nil, sentence.Error("bad.tls.pair", f.Names.of("tls-cert"), f.Names.of("tls-key"))
	}
	pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, sentence.Wrap(err, "bad.tls.own", f.Names.of("tls-cert"), f.Names.of("tls-key"))
	}
	cfg.Certificates = []tls.Certificate{pair}
	return cfg, nil
}
