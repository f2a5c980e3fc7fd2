"""What packages that add rules and formats import: docs/extending.md shows how."""

from __future__ import annotations

from engine_layer_visualize.core.model import Layer as Layer
from engine_layer_visualize.core.model import Profile as Profile
from engine_layer_visualize.core.model import ProfileRow as ProfileRow
from engine_layer_visualize.core.model import Tensor as Tensor
from engine_layer_visualize.core.model import Timing as Timing
from engine_layer_visualize.core.problems import Place as Place
from engine_layer_visualize.core.problems import Problem as Problem
from engine_layer_visualize.core.problems import ReadError as ReadError
from engine_layer_visualize.core.words import Name as Name
from engine_layer_visualize.inputs.formats import Format as Format
from engine_layer_visualize.inputs.listings import ListingFile as ListingFile
from engine_layer_visualize.io.source import Source as Source
from engine_layer_visualize.linting.finding import Evidence as Evidence
from engine_layer_visualize.linting.finding import Finding as Finding
from engine_layer_visualize.linting.finding import Rule as Rule
from engine_layer_visualize.linting.subject import Subject as Subject
