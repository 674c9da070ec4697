"""A cluster on this machine, for trying out what one does: a master and workers of plain Spark, each worker with a host name of its own.

    python -m wirecopy.spark.cluster                        until Ctrl-C
    python -m wirecopy.spark.cluster wirecopy spark IN OUT  as long as the command takes

It is not for work: Spark in one process (`local[*]`) does the same with less. Workers know nothing of the environment that it is started in,
as on other machines. All listen on loopback addresses only, of which Linux has many, and want a secret that is in a folder of the user alone.
When it ends, by whatever cause, all that it started ends: each process stands behind a shell that ends it once nobody holds the other end of a pipe.
"""

from __future__ import annotations

import argparse
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import INTERRUPTED, MissingExtra, UsageError, WirecopyError

HOSTS = tuple(f"127.0.0.{number}" for number in range(1, 9))
JAVA = 17
"""The oldest Java that Spark 4 runs on."""
START_SECONDS = 90
END_SECONDS = 15
_KEPT = """exec 3<&0
ended= child=
trap 'ended=1; kill $child' TERM
{ read -r _ <&3; kill $$; } &
reader=$!
while :; do
    "$@" 3<&- </dev/null &
    child=$!
    [ -z "$ended" ] || kill $child
    wait $child
    status=$?
    [ -z "$ended" ] || wait $child
    [ -z "$ended$ONCE" ] && [ $status -eq 137 ] || break
done
kill $reader 2>/dev/null
exit $status"""
"""Runs a command until it ends or standard input does, which it does with whoever has the other end; again if it was killed, unless `ONCE`."""


@dataclass(frozen=True)
class Cluster:
    """A cluster that runs: `url` is its master, `remote` its Connect server if it has one."""

    url: str
    remote: str | None
    folder: Path
    """Of logs and of what it is configured by; it goes when the cluster ends."""
    processes: tuple[int, ...]
    """The shells that the master, the workers and the server stand behind."""

    @property
    def environment(self) -> dict[str, str]:
        """What a driver has to have in its environment."""
        return {"SPARK_CONF_DIR": str(self.folder / "conf"), "MASTER": self.url}


@contextmanager
def running(
    workers: int = 2,
    *,
    memory_mb: int = 1024,
    connect: bool = False,
    python: str = sys.executable,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Cluster]:
    """A cluster that lasts as long as the context: a master and workers, each with a core and so much memory for a job.

    A worker that is killed is started again, as where something watches over them.
    `connect` starts a Connect server of it as well, beside which there is room for another job; `python` is what its workers run, and `settings` are those of every job.
    Raises WirecopyError where Java is missing or too old, or if it does not start.
    """
    if not 1 <= workers <= len(HOSTS):
        raise UsageError(f"workers: expected 1 to {len(HOSTS)}, got {workers}")
    home = _find_spark()
    require_java()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wirecopy-cluster-")))
        token = secrets.token_hex(16)
        jobs = 1 + connect
        own_settings = {"spark.cores.max": str(workers), "spark.executor.memory": f"{memory_mb * 6 // 10}m"}
        _configure(folder, python, own_settings | dict(settings or {}))
        known = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SPARK_", "PYSPARK_", "PYTHON")) and name != "MASTER"
        }
        known |= {"SPARK_HOME": str(home), "SPARK_CONF_DIR": str(folder / "conf")}
        known["PYSPARK_PYTHON"] = python
        once, small = {"ONCE": "1"}, {"SPARK_DAEMON_MEMORY": "256m"}
        started = []

        def start(name: str, host: str, *command: str, **more: str) -> subprocess.Popen[bytes]:
            (folder / name).mkdir()
            environment = {**known, "SPARK_LOCAL_IP": host, "SPARK_LOCAL_DIRS": str(folder / name), **more}
            process = stack.enter_context(_kept(command, environment, folder / f"{name}.log"))
            started.append(process.pid)
            return process

        run = str(home / "bin" / "spark-class")
        package = "org.apache.spark.deploy"
        place = ("--port", "0", "--webui-port", "0", "--host")
        master = start("master", HOSTS[0], run, f"{package}.master.Master", *place, HOSTS[0], **once, **small)
        url = _await(master, r"Starting Spark master at (\S+)", folder / "master.log")
        waiting = {}
        for number, host in enumerate(HOSTS[:workers], 1):
            name = f"worker-{number}"
            own = (
                "--cores",
                str(jobs),
                "--memory",
                f"{jobs * memory_mb}m",
                "--work-dir",
                str(folder / name),
                url,
            )
            command = (run, f"{package}.worker.Worker", *place, host, *own)
            waiting[name] = start(name, host, *command, **small)
        remote = None
        if connect:
            server = start(
                *("connect", HOSTS[0], str(home / "bin" / "spark-submit"), "--master", url),
                *("--driver-memory", f"{memory_mb}m", "--conf", "spark.connect.grpc.binding.port=0"),
                *("--conf", "spark.connect.grpc.binding.address=127.0.0.1"),
                *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"),
                SPARK_CONNECT_AUTHENTICATE_TOKEN=token,
                **once,
            )
            port = _await(server, r"Spark Connect server started at: \S+:(\d+)", folder / "connect.log")
            remote = f"sc://localhost:{port}/;token={token}"
        for name, process in waiting.items():
            _await(process, "Successfully registered with master", folder / f"{name}.log")
        yield Cluster(url, remote, folder, tuple(started))


def _find_spark() -> Path:
    try:
        import pyspark
    except ImportError:
        raise MissingExtra("Spark", "spark") from None
    return Path(pyspark.__file__).parent


def require_java() -> None:
    """Raise WirecopyError without a Java that Spark runs on."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    advice = f"Spark needs Java {JAVA} or newer (Debian: apt-get install default-jre-headless)"
    if java is None or not Path(java).exists():
        raise WirecopyError(f"no java {f'in JAVA_HOME={home}' if home else 'on the PATH'}: {advice}")
    said = subprocess.run([java, "-version"], capture_output=True, check=False, text=True).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    if version is None or int(version[1]) < JAVA:
        raise WirecopyError(f"{java} is Java {version[1] if version else 'of no known version'}: {advice}")


def _configure(folder: Path, python: str, settings: Mapping[str, str]) -> None:
    known = {
        "spark.authenticate": "true",
        "spark.authenticate.secret": secrets.token_hex(32),
        "spark.driver.host": HOSTS[0],
        "spark.driver.bindAddress": HOSTS[0],
        "spark.master.rest.enabled": "false",
        "spark.master.ui.decommission.allow.mode": "DENY",
        "spark.pyspark.python": python,
        "spark.ui.enabled": "false",
        "spark.ui.killEnabled": "false",
        **settings,
    }
    (folder / "conf").mkdir()
    (folder / "conf" / "spark-defaults.conf").write_text(
        "".join(f"{name} {value}\n" for name, value in known.items())
    )


@contextmanager
def _kept(
    command: Sequence[str], environment: Mapping[str, str], log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A process of a session of its own, whose end is that of the context or of this process."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            ["/bin/sh", "-c", _KEPT, "sh", *command],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=log.parent,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        assert process.stdin
        process.stdin.close()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _await(process: subprocess.Popen[bytes], pattern: str, log: Path) -> str:
    """What a log says when a process has started."""
    pause = threading.Event()
    for _ in range(START_SECONDS * 10):
        said = log.read_text("utf-8", "replace")
        if found := re.search(pattern, said):
            return found[found.re.groups]
        if process.poll() is not None:
            break
        pause.wait(0.1)
    lines = said.splitlines()
    told = [line for line in lines if re.search("exception|error|not found", line, re.IGNORECASE)] or lines
    last = "\n".join(told[-5:])
    raise WirecopyError(f"a cluster on this machine: its {log.stem} did not start: {last}")


def main() -> int:
    """Run a cluster until a command or Ctrl-C ends it."""
    parser = argparse.ArgumentParser(
        prog="python -m wirecopy.spark.cluster",
        description="Run a cluster of Spark on this machine for trying it out: until Ctrl-C, or as long as COMMAND takes, which finds it by its environment.",
    )
    parser.add_argument(
        "--workers", type=int, default=2, metavar="N", help="how many, each with one core; by default 2"
    )
    parser.add_argument(
        "--memory-mb", type=int, default=1024, metavar="N", help="of each worker; by default 1024"
    )
    parser.add_argument("--connect", action="store_true", help="with a Spark Connect server")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    asked = parser.parse_args()

    def end(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)
    command = asked.command[1:] if asked.command[:1] == ["--"] else asked.command
    try:
        with running(asked.workers, memory_mb=asked.memory_mb, connect=asked.connect) as cluster:
            if command:
                return subprocess.run(
                    command, env={**os.environ, **cluster.environment}, check=False
                ).returncode
            print("For the shell that uses it:")
            for name, value in cluster.environment.items():
                print(f"  export {name}={value}")
            if cluster.remote:
                print(f"Spark Connect, for --remote: '{cluster.remote}'")
            print(f"The master: {cluster.url}. Ctrl-C ends it.", flush=True)
            threading.Event().wait()
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, WirecopyError) as error:
        print(f"wirecopy.spark.cluster: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
