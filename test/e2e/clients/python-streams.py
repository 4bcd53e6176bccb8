"""Runs commands, attaches, reads logs and forwards ports through the official Python client, with pods that are there already."""

import hashlib
import http.client
import time

from checks import check, equal, make_all
from kubernetes import client, watch
from kubernetes.stream import portforward, stream

NAMESPACE = "default"
PORT = 8080


def run(command, **options):
    core = client.CoreV1Api()
    asked = {"stdin": False, "stdout": True, "stderr": True, "tty": False, **options}
    return stream(core.connect_get_namespaced_pod_exec, "shell", NAMESPACE, command=command, **asked)


@check
def runs_a_command_and_has_its_output():
    equal(run(["echo", "a  b", "$HOME"]), "a  b $HOME\n")


@check
def keeps_outputs_apart_and_has_the_exit_code():
    command = run(["sh", "-c", "echo out; echo err >&2; exit 7"], _preload_content=False)
    command.run_forever(timeout=30)
    equal([command.read_stdout(), command.read_stderr(), command.returncode], ["out\n", "err\n", 7])
    done = run(["true"], _preload_content=False)
    done.run_forever(timeout=30)
    equal(done.returncode, 0)


@check
def talks_with_a_command():
    command = run(["sh"], stdin=True, _preload_content=False)
    command.write_stdin("echo $((6*7))\n")
    equal(command.readline_stdout(timeout=30), "42")
    command.write_stdin("exit 6\n")
    command.run_forever(timeout=30)
    equal(command.returncode, 6)


@check
def runs_a_command_in_a_terminal():
    command = run(["sh", "-c", 'read line; tty; echo "read $line"'], stdin=True, tty=True, _preload_content=False)
    command.write_stdin("words\n")
    command.run_forever(timeout=30)
    shown = command.read_stdout()
    assert "/dev/" in shown and "read words\r\n" in shown, repr(shown)


@check
def joins_the_program_of_a_container():
    core = client.CoreV1Api()
    joined = stream(
        core.connect_get_namespaced_pod_attach,
        "python-listener",
        NAMESPACE,
        stdin=True,
        stdout=True,
        stderr=True,
        tty=False,
        _preload_content=False,
    )
    joined.write_stdin("one\n")
    equal(joined.readline_stdout(timeout=30), "heard one")
    joined.close()


@check
def reads_and_follows_logs():
    core = client.CoreV1Api()
    equal(core.read_namespaced_pod_log("python-listener", NAMESPACE, tail_lines=1), "heard one\n")
    script = "echo begun; sleep 1; echo done"
    container = client.V1Container(name="main", image="busybox", command=["sh", "-c", script])
    spec = client.V1PodSpec(containers=[container], restart_policy="Never")
    core.create_namespaced_pod(NAMESPACE, client.V1Pod(metadata=client.V1ObjectMeta(name="python-short"), spec=spec))
    follower = watch.Watch()
    for event in follower.stream(
        core.list_namespaced_pod, NAMESPACE, field_selector="metadata.name=python-short", timeout_seconds=30
    ):
        if event["object"].status.phase in ("Running", "Succeeded"):
            follower.stop()
    lines = list(watch.Watch().stream(core.read_namespaced_pod_log, "python-short", NAMESPACE))
    equal(lines, ["begun", "done"])


@check
def forwards_ports():
    core = client.CoreV1Api()
    forwarded = portforward(core.connect_get_namespaced_pod_portforward, "web", NAMESPACE, ports=f"{PORT},1")
    connection = http.client.HTTPConnection("web", PORT)
    connection.sock = forwarded.socket(PORT)
    connection.request("GET", "/bytes/10000000", headers={"Connection": "close"})
    answer = connection.getresponse()
    expected = (b"byte 10000000;" * (10_000_000 // 14 + 1))[:10_000_000]
    equal(hashlib.sha256(answer.read()).hexdigest(), hashlib.sha256(expected).hexdigest())
    # When all have ended, so has the connection, and everything was told.
    while forwarded.connected:
        time.sleep(0.01)
    assert "no program of this pod listens on port 1" in forwarded.error(1), forwarded.error(1)
    # Until the pod ends the connection, with nothing that says how much there is.
    plain = portforward(core.connect_get_namespaced_pod_portforward, "web", NAMESPACE, ports=str(PORT)).socket(PORT)
    plain.sendall(b"GET /path HTTP/1.0\r\n\r\n")
    received = b""
    while part := plain.recv(4096):
        received += part
    assert received.endswith(b"\r\n\r\n/path"), received


if __name__ == "__main__":
    make_all()
