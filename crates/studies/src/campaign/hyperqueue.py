"""Hands the shards of a campaign to HyperQueue. Reads {"server_dir", "cwd", "name", "logs",
"commands"} from standard input."""
import json
import os
import sys
from pathlib import Path

from hyperqueue import Client, Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

work = json.load(sys.stdin)


def submit(client):
    job = Job(name=work["name"], max_fails=None)
    for number, command in enumerate(work["commands"]):
        log = os.path.join(work["logs"], f"shard-{number}")
        job.program(command, env=dict(os.environ), cwd=work["cwd"], stdout=log + ".out",
                    stderr=log + ".err")
    client.wait_for_jobs([client.submit(job)])


def known():
    """The server that is there, if it answers: a server that was killed leaves its folder
    behind."""
    if work["server_dir"]:
        try:
            return Client(work["server_dir"])
        except Exception as error:
            sys.exit(
                f"no HyperQueue server answers for HQ_SERVER_DIR={work['server_dir']}: {error}\n"
                "start one with `hq server start --server-dir=...`, or unset HQ_SERVER_DIR for a "
                "local cluster"
            )
    folder = Path.home() / ".hq-server"
    if (folder / "hq-current").exists():
        try:
            return Client()
        except Exception as error:
            why = " ".join(str(error).split())
            print(f"note: the HyperQueue server of {folder} does not answer ({why}): "
                  "a local cluster computed", file=sys.stderr)
    return None


server = known()
if server:
    submit(server)
else:
    with LocalCluster(worker_config=WorkerConfig()) as cluster:
        submit(cluster.client())
