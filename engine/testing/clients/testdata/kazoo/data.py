"""The operations."""
from kazoo.exceptions import (
    BadVersionError, InvalidACLError, NoAuthError, NoChildrenForEphemeralsError, NodeExistsError, NoNodeError,
    NotEmptyError, RolledBackError, RuntimeInconsistency)
from kazoo.security import CREATOR_ALL_ACL, OPEN_ACL_UNSAFE, READ_ACL_UNSAFE, make_acl, make_digest_acl

from common import LIMIT, fails


def create_read_write_delete(bench):
    with bench.client() as zk:
        zk.ensure_path(bench.root)
        path = bench.root + "/node"
        assert zk.create(path, b"one") == path
        data, made = zk.get(path)
        assert data == b"one" and made.version == 0 and made.dataLength == 3
        stat = zk.set(path, b"three", version=0)
        assert stat.version == 1 and stat.mzxid > stat.czxid == made.czxid and stat.dataLength == 5
        zk.create(path + "/child")
        data, stat = zk.get(path)
        child = zk.exists(path + "/child")
        assert data == b"three" and stat.cversion == 1 and stat.numChildren == 1 and stat.pzxid == child.czxid
        assert zk.get_children(path) == ["child"]
        names, stat = zk.get_children(path, include_data=True)
        assert names == ["child"] and stat.numChildren == 1
        zk.delete(path + "/child")
        stat = zk.exists(path)
        assert stat.cversion == 2 and stat.numChildren == 0 and stat.pzxid > child.czxid
        zk.delete(path, version=1)
        assert zk.exists(path) is None


def errors(bench):
    with bench.client() as zk:
        path = bench.root + "/node"
        fails(NoNodeError, zk.create, path + "/child")
        zk.create(path + "/child", makepath=True)
        fails(NodeExistsError, zk.create, path)
        fails(NotEmptyError, zk.delete, path)
        fails(BadVersionError, zk.set, path, b"", version=3)
        fails(BadVersionError, zk.delete, path + "/child", version=3)
        fails(NoNodeError, zk.get, path + "/none")
        fails(NoNodeError, zk.get_children, path + "/none")
        fails(NoNodeError, zk.delete, path + "/none")
        zk.create(path + "/mine", ephemeral=True)
        fails(NoChildrenForEphemeralsError, zk.create, path + "/mine/child")
        fails(InvalidACLError, zk.create, path + "/unknown", acl=[make_acl("nobody", "knows", all=True)])
        fails(InvalidACLError, zk.create, path + "/unauthenticated", acl=CREATOR_ALL_ACL)


def kinds_of_znode(bench):
    with bench.client() as zk:
        zk.ensure_path(bench.root)
        names = [zk.create(bench.root + "/n-", sequence=True) for _ in range(2)]
        zk.create(bench.root + "/other")
        names.append(zk.create(bench.root + "/n-", sequence=True, ephemeral=True))
        assert names == [bench.root + "/n-%010d" % i for i in (0, 1, 3)], names
        path, stat = zk.create(bench.root + "/e", b"x", ephemeral=True, include_data=True)
        assert path == bench.root + "/e" and stat.ephemeralOwner == zk.client_id[0] and stat.version == 0
    with bench.client() as zk:
        assert sorted(zk.get_children(bench.root)) == ["n-0000000000", "n-0000000001", "other"]


def large_and_odd(bench):
    with bench.client() as zk:
        zk.create(bench.root + "/große Knoten/日本", b"\0\xff", makepath=True)
        assert zk.get(bench.root + "/große Knoten/日本")[0] == b"\0\xff"
        large = bytes(range(256)) * 3900
        zk.create(bench.root + "/large", large)
        assert zk.get(bench.root + "/large")[0] == large
        zk.create(bench.root + "/many")
        for i in range(300):
            zk.create_async(bench.root + "/many/%d" % i)
        zk.create(bench.root + "/many/last")
        assert len(zk.get_children(bench.root + "/many")) == 301
    with bench.client() as zk:
        zk.chroot = bench.root
        assert zk.get("/large")[1].dataLength == len(large)
        zk.delete("/large")


def asynchronous(bench):
    with bench.client() as zk:
        zk.create(bench.root + "/n", b"0", makepath=True)
        sets = [zk.set_async(bench.root + "/n", b"%d" % i) for i in range(200)]
        read = zk.get_async(bench.root + "/n")
        none = zk.get_async(bench.root + "/none")
        assert [s.get(LIMIT).version for s in sets] == list(range(1, 201))
        assert read.get(LIMIT)[0] == b"199", "a read behind the writes of its session sees them"
        fails(NoNodeError, none.get, True, LIMIT)
        assert zk.sync(bench.root + "/n") == bench.root + "/n"


def permissions(bench):
    with bench.client() as zk, bench.client() as stranger:
        path = bench.root + "/secret"
        zk.ensure_path(bench.root)
        zk.add_auth("digest", "ann:geheim")
        zk.create(path, b"x", acl=CREATOR_ALL_ACL)
        acl, stat = zk.get_acls(path)
        assert acl == [make_digest_acl("ann", "geheim", all=True)] and stat.aversion == 0, acl
        for call in (stranger.get, stranger.get_children, stranger.get_acls):
            fails(NoAuthError, call, path)
        fails(NoAuthError, stranger.set, path, b"y")
        fails(NoAuthError, stranger.create, path + "/child")
        fails(NoAuthError, stranger.set_acls, path, OPEN_ACL_UNSAFE)
        assert zk.set_acls(path, READ_ACL_UNSAFE + acl).aversion == 1
        assert stranger.get(path)[0] == b"x"
        hidden = [a.id.id for a in stranger.get_acls(path)[0] if a.id.scheme == "digest"]
        assert hidden == ["ann:x"], hidden
        fails(NoAuthError, stranger.set, path, b"y")
        stranger.add_auth("digest", "ann:geheim")
        assert stranger.set(path, b"y").version == 1
    with bench.client(auth_data=[("digest", "ann:geheim")]) as zk:
        zk.delete(path)


def transactions(bench):
    with bench.client() as zk:
        a, b = bench.root + "/a", bench.root + "/b"
        zk.ensure_path(bench.root)
        t = zk.transaction()
        t.create(a, b"1")
        t.create(a + "/n-", sequence=True)
        t.set_data(a, b"2")
        t.check(a, version=1)
        t.create(b)
        t.delete(b)
        got = t.commit()
        assert got[0] == a and got[1] == a + "/n-0000000000" and got[2].version == 1, got
        assert got[3:] == [True, b, True], got
        assert zk.get(a)[1].mzxid == zk.get(a)[1].pzxid, "one transaction has one zxid"
        t = zk.transaction()
        t.set_data(a, b"3")
        t.check(a, version=1)
        t.create(b)
        got = [type(r) for r in t.commit()]
        assert got == [RolledBackError, BadVersionError, RuntimeInconsistency], got
        assert zk.get(a)[0] == b"2" and zk.exists(b) is None


def words(bench):
    with bench.client() as zk:
        assert zk.command(b"ruok") == "imok"
        assert zk.server_version()[:2] == (3, 8), zk.server_version()
        assert "Node count:" in zk.command(b"srvr")


CHECKS = [create_read_write_delete, errors, kinds_of_znode, large_and_odd, asynchronous, permissions, transactions,
          words]
