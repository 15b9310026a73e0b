package shared

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/zkviz/zkviz/engine/base/atomicfile"
)

// inside is a NATS in this process. It listens on no port.
type inside struct {
	server    *server.Server
	lock      *os.File
	temporary string // the folder to remove, or ""
}

// errInUse reports that another process has the folder.
var errInUse = errors.New("another process uses this folder; several servers need a NATS of their own")

func startInside(dir string, log *slog.Logger) (_ *inside, err error) {
	in := &inside{}
	defer func() {
		if err != nil {
			in.close()
		}
	}()
	if dir == "" {
		if dir, err = os.MkdirTemp("", "zkviz-nats-"); err != nil {
			return nil, err
		}
		in.temporary = dir
	}
	if err = in.take(dir); err != nil {
		return nil, err
	}
	in.server, err = server.NewServer(&server.Options{
		ServerName: clientName, DontListen: true, NoSigs: true, NoSystemAccount: true,
		JetStream: true, StoreDir: dir, SyncInterval: SyncEvery,
		JetStreamMaxMemory: MemoryBytes, JetStreamMaxStore: DiskBytes,
	})
	if err != nil {
		return nil, err
	}
	in.server.SetLoggerV2(complaints{log}, false, false, false)
	in.server.Start()
	if !in.server.ReadyForConnections(startFor) {
		return nil, fmt.Errorf("not ready after %v", startFor)
	}
	if !in.server.JetStreamEnabled() {
		return nil, errors.New("its files can't be used")
	}
	return in, nil
}

// take makes the folder, and keeps other processes from it if the system can.
func (in *inside) take(dir string) (err error) {
	if err = os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if in.lock, err = os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return err
	}
	if err = atomicfile.Lock(in.lock); errors.Is(err, atomicfile.ErrLocked) {
		return fmt.Errorf("%s: %w", dir, errInUse)
	}
	return nil
}

func (in *inside) close() {
	if in.server != nil {
		in.server.Shutdown()
		in.server.WaitForShutdown()
	}
	if in.lock != nil {
		_ = in.lock.Close()
	}
	if in.temporary != "" {
		_ = os.RemoveAll(in.temporary)
	}
}

// complaints passes on what the NATS inside has to complain about, and none of its notices.
type complaints struct{ log *slog.Logger }

func (c complaints) Noticef(string, ...any) {}
func (c complaints) Debugf(string, ...any)  {}
func (c complaints) Tracef(string, ...any)  {}

func (c complaints) Warnf(format string, args ...any) {
	c.log.Warn("the NATS inside", "says", fmt.Sprintf(format, args...))
}

func (c complaints) Errorf(format string, args ...any) {
	c.log.Error("the NATS inside", "says", fmt.Sprintf(format, args...))
}

func (c complaints) Fatalf(format string, args ...any) { c.Errorf(format, args...) }
