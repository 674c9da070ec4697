"""An archive over HTTP: check texts before they are published, add articles, read stories and pairs.

`gate.py` is what every request goes through, `api.py` and its siblings are the routes, `readers.py` the threads that work on the archive,
`serving.py` runs it. The package needs the extra `service`.
"""
