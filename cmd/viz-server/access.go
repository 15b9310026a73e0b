package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// accessFlags holds the flags for opening connections to --zk.
type accessFlags struct {
	ZKAuthFile string `name:"zk-auth-file" placeholder:"FILE" help:"Authenticate to --zk with the identities in this file, one SCHEME:SECRET a line, such as digest:user:password. The variable ZKVIZ_ZK_AUTH may hold these lines instead."`

	tlsFlags
}

// tlsFlags holds the flags for TLS connections to servers. Secrets are in files, so process lists don't show them.
type tlsFlags struct {
	ZKTLS           bool   `name:"zk-tls" help:"Connect to --zk with TLS, at the servers' secureClientPort. The flags below imply it."`
	ZKTLSCA         string `name:"zk-tls-ca" placeholder:"FILE" help:"The authority that signs the servers' certificates, in PEM (default: this system's authorities)."`
	ZKTLSCert       string `name:"zk-tls-cert" placeholder:"FILE" help:"The client's own certificate, in PEM, for servers that ask for one."`
	ZKTLSKey        string `name:"zk-tls-key" placeholder:"FILE" help:"The private key of --zk-tls-cert, in PEM."`
	ZKTLSServerName string `name:"zk-tls-server-name" placeholder:"HOST" help:"The name in the servers' certificates, if it isn't the host in --zk."`
}

// authVariable is the environment variable that may hold identities.
const authVariable = "ZKVIZ_ZK_AUTH"

// errShown refuses a password on the command line, where process lists show it.
var errShown = sentence.Error("bad.auth.flag")

// refuseSecrets refuses --zk-auth, which looks like a flag for a password. There is no such flag.
func refuseSecrets(args []string) error {
	for _, arg := range args {
		if name, _, _ := strings.Cut(arg, "="); name == "--zk-auth" {
			return errShown
		}
	}
	return nil
}

// dialer builds a dialer from the flags and the environment. Its errors contain no secrets.
func (f accessFlags) dialer(chroot string) (d access.Dialer, err error) {
	d = access.Dialer{Chroot: chroot, Say: voice().Error}
	if strings.HasPrefix(f.ZKAuthFile, "digest:") {
		return d, errShown
	}
	if d.Auth, err = identities("--zk-auth-file", f.ZKAuthFile, os.Getenv(authVariable)); err != nil {
		return d, err
	}
	d.TLS, err = f.config()
	return d, err
}

// config returns the TLS configuration for connections to servers, or nil without TLS.
func (f tlsFlags) config() (*tls.Config, error) {
	cfg, err := access.Files{On: f.ZKTLS, CA: f.ZKTLSCA, Cert: f.ZKTLSCert, Key: f.ZKTLSKey,
		ServerName: f.ZKTLSServerName}.Config()
	if err != nil {
		return nil, fmt.Errorf("--zk-tls: %w", err)
	}
	return cfg, nil
}

// identities reads identities from the file if one is given, else from the text. Errors name the setting.
func identities(setting, file, text string) ([]access.Identity, error) {
	var from io.Reader = strings.NewReader(text)
	where := authVariable
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", setting, err)
		}
		defer f.Close()
		from, where = f, file
	}
	all, err := access.ReadIdentities(from)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return all, nil
}
