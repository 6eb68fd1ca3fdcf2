"""Hands the shards of a campaign to HyperQueue. Reads {"server_dir", "cwd", "name", "logs", "commands"} from standard input."""
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
        job.program(command, env=dict(os.environ), cwd=work["cwd"], stdout=log + ".out", stderr=log + ".err")
    client.wait_for_jobs([client.submit(job)])


if work["server_dir"]:
    submit(Client(work["server_dir"]))
elif (Path.home() / ".hq-server" / "hq-current").exists():
    submit(Client())
else:
    print("no HyperQueue server is known: a local cluster is started for this campaign", file=sys.stderr)
    with LocalCluster(worker_config=WorkerConfig()) as cluster:
        submit(cluster.client())
