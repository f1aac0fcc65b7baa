"""Ticks of charts on a phone: as many as have room, evenly spaced."""

import json
import re
import shutil
import subprocess
from importlib import resources

import pytest

from tests.needs import needs

SCRIPT = (resources.files("stend.report.parts") / "templates" / "figures.js").read_text()
