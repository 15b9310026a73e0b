// Package certtest creates certificates and PEM files for tests of TLS. It is only for tests.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority signs certificates. Its files are in a folder that is deleted after the test.
type Authority struct {
	File string // its own certificate

	tb   testing.TB
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// New returns a new authority.
func New(tb testing.TB) *Authority {
	tb.Helper()
	a := &Authority{tb: tb, dir: tb.TempDir()}
	cert := template("zkviz test authority")
	cert.IsCA, cert.KeyUsage = true, x509.KeyUsageCertSign
	der := a.sign(cert, nil)
	a.cert, _ = x509.ParseCertificate(der) // it was just created
	a.File = a.write("ca.pem", block("CERTIFICATE", der))
	return a
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

// sign signs a certificate for a key. A nil key means the authority's own certificate and creates its key.
func (a *Authority) sign(cert *x509.Certificate, key *ecdsa.PrivateKey) []byte {
	a.tb.Helper()
	parent := a.cert
	if key == nil {
		key = a.newKey()
		a.key, parent = key, cert
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, parent, &key.PublicKey, a.key)
	if err != nil {
		a.tb.Fatal(err)
	}
	return der
}

func (a *Authority) newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.tb.Fatal(err)
	}
	return key
}

// Issue creates a certificate for names and addresses, with files for it and its key.
func (a *Authority) Issue(name string, hosts ...string) (certFile, keyFile string) {
	a.tb.Helper()
	return a.issue(template(name), name, hosts)
}

// IssueExpired does what Issue does, for an expired certificate.
func (a *Authority) IssueExpired(name string, hosts ...string) (certFile, keyFile string) {
	a.tb.Helper()
	cert := template(name)
	cert.NotAfter = time.Now().Add(-time.Minute)
	return a.issue(cert, name, hosts)
}

func (a *Authority) issue(cert *x509.Certificate, name string, hosts []string) (certFile, keyFile string) {
	a.tb.Helper()
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			cert.IPAddresses = append(cert.IPAddresses, ip)
		} else {
			cert.DNSNames = append(cert.DNSNames, h)
		}
	}
	key := a.newKey()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.tb.Fatal(err)
	}
	return a.write(name+".pem", block("CERTIFICATE", a.sign(cert, key))),
		a.write(name+"-key.pem", block("PRIVATE KEY", der))
}

// Store writes a certificate with its key into one file, in ZooKeeper's format for ssl.keyStore.
func (a *Authority) Store(certFile, keyFile string) string {
	a.tb.Helper()
	var all []byte
	for _, name := range []string{keyFile, certFile} {
		part, err := os.ReadFile(name)
		if err != nil {
			a.tb.Fatal(err)
		}
		all = append(all, part...)
	}
	return a.write("store-"+filepath.Base(certFile), all)
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func (a *Authority) write(name string, data []byte) string {
	a.tb.Helper()
	file := filepath.Join(a.dir, name)
	if err := os.WriteFile(file, data, 0o600); err != nil {
		a.tb.Fatal(err)
	}
	return file
}
