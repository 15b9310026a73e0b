package access

import (
	"crypto/tls"
	"crypto/x509"
	"os"

	"github.com/zkviz/zkviz/engine/sentence"
)

// Files say whether TLS is spoken, and what it needs: each the name of a file in PEM, or empty.
type Files struct {
	On         bool   // even if no file is named
	CA         string // who signs the servers' certificates; the system's authorities if empty
	Cert, Key  string // the client's own
	ServerName string // what the servers' certificates are for, where that is not the host that is dialled
	Names      Names
}

// Config reads the files. It is nil if TLS is not on and nothing is named. The error is a sentence; it has nothing of
// what is in the files.
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
