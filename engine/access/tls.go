package access

import (
	"crypto/tls"
	"crypto/x509"
	"os"

	"github.com/zkviz/zkviz/engine/sentence"
)

// Files are what TLS needs, each the name of a file in PEM, or empty.
type Files struct {
	CA         string // who signs the servers' certificates; the system's authorities if empty
	Cert, Key  string // the client's own
	ServerName string // what the servers' certificates are for, where that is not the host that is dialled
}

// Given reports whether anything is named.
func (f Files) Given() bool { return f != Files{} }

// Config reads the files. The error is a sentence; it has nothing of what is in them.
func (f Files) Config() (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: f.ServerName}
	if f.CA != "" {
		pem, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, sentence.Wrap(err, "bad.tls.read")
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
		return nil, sentence.Error("bad.tls.pair", sentence.Text("--zk-tls-key"), sentence.Text("--zk-tls-cert"))
	case f.Key == "":
		return nil, sentence.Error("bad.tls.pair", sentence.Text("--zk-tls-cert"), sentence.Text("--zk-tls-key"))
	}
	pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, sentence.Wrap(err, "bad.tls.own")
	}
	cfg.Certificates = []tls.Certificate{pair}
	return cfg, nil
}
