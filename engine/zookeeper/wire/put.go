package wire

import (
	"encoding/binary"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

func putInt(dst []byte, v int32) []byte  { return binary.BigEndian.AppendUint32(dst, uint32(v)) }
func putLong(dst []byte, v int64) []byte { return binary.BigEndian.AppendUint64(dst, uint64(v)) }

func putBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// putBuffer writes nil as null.
func putBuffer(dst, b []byte) []byte {
	if b == nil {
		return putInt(dst, -1)
	}
	return append(putInt(dst, int32(len(b))), b...)
}

func putString(dst []byte, s string) []byte { return append(putInt(dst, int32(len(s))), s...) }

func putStrings(dst []byte, list []string) []byte {
	dst = putInt(dst, int32(len(list)))
	for _, s := range list {
		dst = putString(dst, s)
	}
	return dst
}

// putACL writes nil as null.
func putACL(dst []byte, list []zoo.ACL) []byte {
	if list == nil {
		return putInt(dst, -1)
	}
	dst = putInt(dst, int32(len(list)))
	for _, a := range list {
		dst = putString(putInt(dst, a.Perms), a.Scheme)
		if a.ID == zoo.NullID {
			dst = putInt(dst, -1)
		} else {
			dst = putString(dst, a.ID)
		}
	}
	return dst
}

func putStat(dst []byte, s *zoo.Stat) []byte {
	dst = putLong(dst, s.Czxid)
	dst = putLong(dst, s.Mzxid)
	dst = putLong(dst, s.Ctime)
	dst = putLong(dst, s.Mtime)
	dst = putInt(dst, s.Version)
	dst = putInt(dst, s.Cversion)
	dst = putInt(dst, s.Aversion)
	dst = putLong(dst, s.EphemeralOwner)
	dst = putInt(dst, s.DataLength)
	dst = putInt(dst, s.NumChildren)
	return putLong(dst, s.Pzxid)
}

// AppendFrame appends a record to dst as a frame, with its length first.
func AppendFrame(dst []byte, r Record) []byte {
	start := len(dst)
	dst = r.Append(append(dst, 0, 0, 0, 0))
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}
